"""Special tokens that other models have and this one does not: here they are text like any other."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, pick
from conformance.generators.contents import NEIGHBOURS
from conformance.generators.knowledge import ModelKnowledge

TOKENS: tuple[str, ...] = (
    *("<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|endofprompt|>"),
    *("<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|vision_start|>", "<|image_pad|>"),
    *("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|end_of_text|>"),
    *("<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[TOOL_CALLS]"),
    *("[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"),
    *("<pad>", "<unk>", "<mask>", "<extra_id_0>", "<eos>", "<bos>", "<0x0A>"),
    *("<start_of_turn>", "<end_of_turn>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
    *("<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>", "<|0.00|>"),
    *("<|start|>", "<|channel|>", "<|message|>", "<|return|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
)
"""A line each: of the GPT series, of Qwen and its kin, Llama 3, Llama 2 and Mistral, BERT, T5, Gemma and models that
reason, Whisper, later open models."""


@dataclass(frozen=True, slots=True)
class ForeignTokens(Generator):
    """One of them between neighbours: of several in a text, a program that knows only some would be hard to tell."""

    tokens: tuple[str, ...] = field(repr=False)
    name = "tokens of other models"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> ForeignTokens | NothingToDo:
        """Without what the model has as well."""
        own = {token.content for token in knowledge.added}.union(knowledge.symbols, *knowledge.reserved)
        tokens = tuple(token for token in TOKENS if token not in own)
        return cls(tokens) if tokens else NothingToDo(cls.name, "the model has them all")

    def draw(self, chance: Random) -> str:
        return pick(chance, NEIGHBOURS) + pick(chance, self.tokens) + pick(chance, NEIGHBOURS)
