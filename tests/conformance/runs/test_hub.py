"""Models by their names on the hub: from a cache with its real layout, or by a library that is made up here."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis.strategies import SearchStrategy

from conformance import strategies
from conformance.core.errors import InputError
from conformance.runs.hub import TOKENIZER_FILES, cached_snapshot, hub_cache, is_hub_name
from conformance.runs.models import plan_models
from reftok import embedded_models

from ..commands import Command, Corpus, said

COMMIT = "0123456789abcdef" * 2 + "01234567"


def in_cache(cache: Path, name: str, files: dict[str, bytes], ref: str = COMMIT) -> Path:
    """The snapshot of a model in a cache: links to blobs that are named by their hashes."""
    folder = cache / f"models--{name.replace('/', '--')}"
    for part in ("refs", "blobs", f"snapshots/{COMMIT}"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "refs" / "main").write_text(ref)
    for number, (file, data) in enumerate(files.items()):
        (folder / "blobs" / f"{number:040x}").write_bytes(data)
        (folder / "snapshots" / COMMIT / file).symlink_to(f"../../blobs/{number:040x}")
    return folder / "snapshots" / COMMIT


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub, in whose folder nothing else is; without the library of the hub."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "hub"


def published() -> dict[str, bytes]:
    """vocab.json and merges.txt of an embedded model, as a model on the hub has them."""
    model = json.loads(embedded_models()["bpe-gpt2"].read_bytes())["model"]
    merges = "".join(f"{merge if isinstance(merge, str) else ' '.join(merge)}\n" for merge in model["merges"])
    return {"vocab.json": json.dumps(model["vocab"]).encode(), "merges.txt": merges.encode("utf-8")}


def test_a_model_is_found_in_the_cache_under_its_names_and_without_the_library(cache: Path) -> None:
    snapshot = in_cache(cache, "Qwen/Qwen3-0.6B", {**published(), "model.safetensors": b"weights"})
    assert cached_snapshot("Qwen/Qwen3-0.6B") == snapshot
    (plan,) = plan_models(("Qwen/Qwen3-0.6B",))
    assert (plan.name, plan.format, plan.path) == (
        "Qwen/Qwen3-0.6B/vocab.json",
        "vocab_merges",
        snapshot / "vocab.json",
    )


def test_a_run_on_links_to_blobs_goes_on_with_what_lies_beside_them(
    cache: Path, conformance_here: Command, corpus: Corpus, tmp_path: Path
) -> None:
    """Fault: the plan had the path of the blob, whose name is a hash, and beside which there is no merges.txt."""
    snapshot = in_cache(cache, "org/model", published())
    arguments = ("--corpus", corpus("Hello world"), "--inputs", "corpora", "--check", "ids", "--jobs", "1", "--quiet")
    ended = conformance_here("run", "--model", "org/model", *arguments, "--out", tmp_path / "run", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    plan = json.loads((tmp_path / "run" / "plan.json").read_text("utf-8"))
    assert plan["models"][0]["path"] == str(snapshot.resolve() / "vocab.json")
    assert str((snapshot / "merges.txt").resolve()) in plan["hashes"]
    (tmp_path / "run" / "journal.jsonl").unlink()
    assert conformance_here("run", "--resume", tmp_path / "run", "--quiet", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("ref", ["", "main", "../../../../elsewhere", "0" * 39, "0" * 40, COMMIT.upper()])
def test_a_reference_that_names_no_commit_of_the_cache_is_none(cache: Path, ref: str) -> None:
    in_cache(cache, "org/model", published(), ref)
    (cache.parent / "elsewhere").mkdir()
    assert cached_snapshot("org/model") is None


def test_what_is_not_in_the_cache_and_cannot_be_downloaded_is_said_with_the_way_out(
    cache: Path, conformance_here: Command
) -> None:
    ended = conformance_here("run", "--model", "org/model", "--quiet", cwd=cache.parent)
    said(ended, 2, f"org/model: is no file or folder here, and not in the cache of the hub, {cache}; to download it")
    assert "python -m pip install 'reftok[hub]'" in ended.stderr


def fake_hub(monkeypatch: pytest.MonkeyPatch, cache: Path, files: dict[str, bytes]) -> list[str]:
    """A library that gives these files as far as they are asked for; the names of the models asked for."""
    asked: list[str] = []

    def snapshot_download(name: str, allow_patterns: Sequence[str], cache_dir: Path) -> str:
        asked.append(name)
        wanted = {file: data for file, data in files.items() if any(fnmatch(file, known) for known in allow_patterns)}
        return str(in_cache(cache_dir, name, wanted))

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download))
    return asked


def test_a_model_is_downloaded_once_and_its_tokenizer_files_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**published(), "tokenization_own.py": b"raise", "model.safetensors": b"weights", "pytorch_model.bin": b""}
    asked = fake_hub(monkeypatch, cache, files)
    for _ in range(2):
        (plan,) = plan_models(("org/model",))
    assert {path.name for path in plan.path.parent.iterdir()} == {"vocab.json", "merges.txt"}
    assert asked == ["org/model"]
    assert capsys.readouterr().err.count("org/model: the tokenizer files are downloaded from the hub into") == 1


def test_a_cache_that_has_only_weights_is_filled_up(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_cache(cache, "org/model", {"model.safetensors": b"weights"})
    fake_hub(monkeypatch, cache, {"tokenizer.json": embedded_models()["bpe-gpt2"].read_bytes()})
    assert [plan.name for plan in plan_models(("org/model",))] == ["org/model/tokenizer.json"]


def test_a_model_without_a_tokenizer_is_bad_input(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_hub(monkeypatch, cache, {"model.safetensors": b"weights"})
    with pytest.raises(InputError, match=r"^org/model: has no tokenizer file on the hub \(of tokenizer\.json, "):
        plan_models(("org/model",))


def test_an_error_of_the_library_is_told_in_one_line(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def snapshot_download(*_: object, **__: object) -> str:
        raise OSError("401\nno such model")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download))
    with pytest.raises(InputError, match=r"it cannot be downloaded: OSError: 401 no such model$"):
        plan_models(("org/model",))


def test_a_path_is_no_name_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert all(map(is_hub_name, ["org/model", "Qwen/Qwen3-0.6B", "a/b_c.d-e1"]))
    others = [
        "model",
        "/org/model",
        "org/model/",
        "org/a/b",
        "../model",
        "org/..",
        "./model",
        "a--b/c",
        "~/model",
        "a/b\n",
    ]
    assert not any(map(is_hub_name, others))
    (tmp_path / "org").mkdir()
    assert not is_hub_name("org/model")


def test_nothing_that_could_be_run_is_among_what_is_downloaded() -> None:
    code = ("tokenization_qwen.py", "x.bin", "x.pt", "x.pkl", "x.safetensors", "x.gguf", "x.sh", "requirements.txt")
    assert not [file for file in code if any(fnmatch(file, known) for known in TOKENIZER_FILES)]


def test_the_cache_is_where_the_library_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    assert hub_cache() == Path("/home/me/.cache/huggingface/hub")
    for name, value, place in (
        ("XDG_CACHE_HOME", "/cache", "/cache/huggingface/hub"),
        ("HF_HOME", "~/hf", "/home/me/hf/hub"),
        ("HUGGINGFACE_HUB_CACHE", "$HOME/old", "/home/me/old"),
        ("HF_HUB_CACHE", "/new", "/new"),
    ):
        monkeypatch.setenv(name, value)
        assert hub_cache() == Path(place)


def test_strategies_take_the_name_of_a_model_on_the_hub_as_the_commands_do(cache: Path) -> None:
    """Fault: they said that no such file is there."""
    in_cache(cache, "org/name", published())
    assert strategies._named("org/name") == plan_models(("org/name",))[0].path
    assert isinstance(strategies.texts("org/name"), SearchStrategy)
    assert strategies._named("bpe-gpt2") == "bpe-gpt2"
