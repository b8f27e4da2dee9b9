have square : ∀ z : ℤ, ∃ m : ℕ, z ^ 2 = ((m * m : ℕ) : ℤ) := by
  intro z
  refine ⟨z.natAbs, ?_⟩
  rw [show z ^ 2 = z * z by simp [Int.pow_succ]]
  first
    | exact Int.natAbs_mul_self.symm
    | grind
obtain ⟨m, hm⟩ := square x
obtain ⟨n, hn⟩ := square y
rw [hm, hn] at h₀
rw [hm, hn]
have h : n * n + 3 * (m * m * (n * n)) = 30 * (m * m) + 517 := by omega
have top : n < 23 := by
  rcases Nat.lt_or_ge n 23 with g | g
  · exact g
  · have a : 23 * 23 ≤ n * n := Nat.mul_le_mul g g
    have b : m * m * (23 * 23) ≤ m * m * (n * n) := Nat.mul_le_mul_left (m * m) a
    omega
have low : 4 ≤ n := by
  rcases Nat.lt_or_ge n 4 with g | g
  · have a : n * n ≤ 3 * 3 := Nat.mul_le_mul (by omega) (by omega)
    have b : m * m * (n * n) ≤ m * m * (3 * 3) := Nat.mul_le_mul_left (m * m) a
    omega
  · exact g
have small : m < 6 := by
  rcases Nat.lt_or_ge m 6 with g | g
  · exact g
  · have a : 6 * 6 ≤ m * m := Nat.mul_le_mul g g
    have b : 4 * 4 ≤ n * n := Nat.mul_le_mul low low
    have c : m * m * (4 * 4) ≤ m * m * (n * n) := Nat.mul_le_mul_left (m * m) b
    omega
have all : ∀ m, m < 6 → ∀ n, n < 23 → n * n + 3 * (m * m * (n * n)) = 30 * (m * m) + 517 →
    3 * (m * m * (n * n)) = 588 := by decide +kernel
have found := all m small n top h
omega
