have all : ∀ n, n < 41 → n > 0 →
    ¬ 1 < Nat.gcd (n ^ 2 - n + 41) ((n + 1) ^ 2 - (n + 1) + 41) := by decide +kernel
rw [h₀, h₀] at h₁
rcases Nat.lt_or_ge n 41 with h | h
· exact absurd h₁ (all n h hn)
· exact h
