have low : ∀ k m, k ≤ m → k ≤ f m := by
  intro k
  induction k with
  | zero =>
    intro m _
    exact Nat.zero_le _
  | succ k ih =>
    intro m hm
    obtain ⟨n, hn⟩ : ∃ n, m = n + 1 := ⟨m - 1, by omega⟩
    rw [hn]
    rcases Nat.eq_zero_or_pos n with z | p
    · have a := h₀ (n + 1)
      omega
    · have a := h₁ n p
      have b := ih (f n) (ih n (by omega))
      omega
have up : ∀ n, 0 < n → f n < f (n + 1) := by
  intro n p
  have a := h₁ n p
  have b := low (f n) (f n) (Nat.le_refl _)
  omega
have mono : ∀ d n, 0 < n → f n ≤ f (n + d) := by
  intro d
  induction d with
  | zero =>
    intro n _
    exact Nat.le_refl _
  | succ d ih =>
    intro n p
    have a := ih n p
    have b : f (n + d) < f (n + (d + 1)) := up (n + d) (by omega)
    omega
intro n p
have a := low n n (Nat.le_refl _)
rcases Nat.lt_or_ge (f n) (n + 1) with h | h
· omega
· have b := mono (f n - (n + 1)) (n + 1) (by omega)
  rw [show n + 1 + (f n - (n + 1)) = f n by omega] at b
  have c := h₁ n p
  omega
