intro h
have period : ∀ k, 2 ^ (3 * k) % 7 = 1 := by
  intro k
  induction k with
  | zero => rfl
  | succ k ih =>
    rw [show 3 * (k + 1) = 3 * k + 3 by omega, Nat.pow_add]
    generalize 2 ^ (3 * k) = t at ih ⊢
    omega
obtain ⟨k, r, hk, hr⟩ : ∃ k r, n = 3 * k + r ∧ r < 3 := ⟨n / 3, n % 3, by omega, by omega⟩
have power := period k
rw [hk, Nat.pow_add] at h
generalize 2 ^ (3 * k) = t at h power
have rest : r = 0 ∨ r = 1 ∨ r = 2 := by omega
rcases rest with e | e | e <;> rw [e] at h <;> omega
