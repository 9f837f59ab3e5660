"""Special tokens that other models have and this one does not: here they are text like any other."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, few, pick
from conformance.generators.contents import NEIGHBOURS
from conformance.generators.knowledge import ModelKnowledge

FAMILIES: tuple[tuple[str, ...], ...] = (
    ("<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|endofprompt|>"),
    ("<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|object_ref_start|>", "<|vision_start|>", "<|image_pad|>"),
    ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
    ("<s>", "[INST]", "<<SYS>>", "<</SYS>>", "[/INST]", "</s>", "[TOOL_CALLS]", "[AVAILABLE_TOOLS]"),
    ("[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"),
    ("<pad>", "<unk>", "<mask>", "<extra_id_0>", "<eos>", "<bos>", "<0x0A>"),
    ("<start_of_turn>", "<end_of_turn>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
    ("<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>", "<|0.00|>"),
    ("<|start|>", "<|channel|>", "<|message|>", "<|return|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
)
"""By the models that have them: of the GPT series, Qwen and its kin, Llama 3, Llama 2 and Mistral, BERT, T5, Gemma and
models that reason, Whisper, later open models."""


@dataclass(frozen=True, slots=True)
class ForeignTokens(Generator):
    """All tokens of a family one after the other, which asks about each of them at once, or some between neighbours."""

    families: tuple[tuple[str, ...], ...] = field(repr=False)
    name = "tokens of other models"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> ForeignTokens | NothingToDo:
        """Without what the model has as well."""
        own = {token.content for token in knowledge.added}.union(knowledge.symbols, *knowledge.reserved)
        families = (tuple(token for token in family if token not in own) for family in FAMILIES)
        kept = tuple(filter(None, families))
        return cls(kept) if kept else NothingToDo(cls.name, "the model has them all")

    def draw(self, chance: Random) -> str:
        family = pick(chance, self.families)
        if chance.random() < 0.6:
            return "".join(family)
        return "".join(pick(chance, NEIGHBOURS) + pick(chance, family) for _ in range(few(chance, 3)))
