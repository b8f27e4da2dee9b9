have all : ∀ k, a (6 * k + 1) % 4 = 1 ∧ a (6 * k + 2) % 4 = 1 := by
  intro k
  induction k with
  | zero => exact ⟨by rw [show 6 * 0 + 1 = 1 from rfl, h₀], by rw [show 6 * 0 + 2 = 2 from rfl, h₁]⟩
  | succ k ih =>
    have a3 : a (6 * k + 3) = a (6 * k + 2) + a (6 * k + 1) := h₂ (6 * k + 1)
    have a4 : a (6 * k + 4) = a (6 * k + 3) + a (6 * k + 2) := h₂ (6 * k + 2)
    have a5 : a (6 * k + 5) = a (6 * k + 4) + a (6 * k + 3) := h₂ (6 * k + 3)
    have a6 : a (6 * k + 6) = a (6 * k + 5) + a (6 * k + 4) := h₂ (6 * k + 4)
    have a7 : a (6 * k + 7) = a (6 * k + 6) + a (6 * k + 5) := h₂ (6 * k + 5)
    have a8 : a (6 * k + 8) = a (6 * k + 7) + a (6 * k + 6) := h₂ (6 * k + 6)
    rw [show 6 * (k + 1) + 1 = 6 * k + 7 by omega, show 6 * (k + 1) + 2 = 6 * k + 8 by omega]
    omega
have last := all 16
have a99 : a 99 = a 98 + a 97 := h₂ 97
have a100 : a 100 = a 99 + a 98 := h₂ 98
have a97 : a 97 % 4 = 1 := last.1
have a98 : a 98 % 4 = 1 := last.2
omega
