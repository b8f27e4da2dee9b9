"""Terms, symbols beyond ASCII, and words that only hold a refused one."""

from statements import STATEMENTS, save

PROOF = """have sorry_not_needed : ∀ α : Prop, α → α := fun α h₁' => h₁'
have ends : (0 : Nat) < 1 ∧ True := ⟨by decide, trivial⟩
first
  | exact (by omega)
  | (rcases ends with ⟨_, _⟩; simp_all)"""
save({name: PROOF for name in STATEMENTS})
