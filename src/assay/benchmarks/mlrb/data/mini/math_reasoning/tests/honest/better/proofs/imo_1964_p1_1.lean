have period : ∀ k, 2 ^ (3 * k) % 7 = 1 := by
  intro k
  induction k with
  | zero => rfl
  | succ k ih =>
    rw [show 3 * (k + 1) = 3 * k + 3 by omega, Nat.pow_add]
    generalize 2 ^ (3 * k) = t at ih ⊢
    omega
have rest : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
rcases rest with r | r | r
· omega
· obtain ⟨k, hk⟩ : ∃ k, n = 3 * k + 1 := ⟨n / 3, by omega⟩
  have power := period k
  rw [hk, Nat.pow_add] at h₀
  generalize 2 ^ (3 * k) = t at h₀ power
  omega
· obtain ⟨k, hk⟩ : ∃ k, n = 3 * k + 2 := ⟨n / 3, by omega⟩
  have power := period k
  rw [hk, Nat.pow_add] at h₀
  generalize 2 ^ (3 * k) = t at h₀ power
  omega
