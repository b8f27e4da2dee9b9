have period : ∀ j, 2 ^ (4 * (j + 1)) % 10 = 6 := by
  intro j
  induction j with
  | zero => rfl
  | succ j ih =>
    rw [show 4 * (j + 1 + 1) = 4 * (j + 1) + 4 by omega, Nat.pow_add]
    generalize 2 ^ (4 * (j + 1)) = t at ih ⊢
    omega
have mod : k % 20 = 0 := by rw [h₀]; decide +kernel
have pos : 0 < k := by rw [h₀]; decide +kernel
clear h₀
obtain ⟨j, hj⟩ : ∃ j, k = 4 * (j + 1) := ⟨k / 4 - 1, by omega⟩
have power := period j
rw [← hj] at power
have square : k ^ 2 % 10 = 0 := by
  rw [Nat.pow_mod, show k % 10 = 0 by omega]
generalize k ^ 2 = s at square ⊢
generalize 2 ^ k = t at power ⊢
omega
