have above : ∀ m n, 0 < m → 0 < n → f m + f n ≤ f (m + n) := by
  intro m n a b
  have c := h₀ m n ⟨a, b⟩
  omega
have many : ∀ k, k + 1 ≤ f (3 * (k + 1)) := by
  intro k
  induction k with
  | zero =>
    show 1 ≤ f 3
    omega
  | succ k ih =>
    have a := above (3 * (k + 1)) 3 (by omega) (by omega)
    rw [show 3 * (k + 1 + 1) = 3 * (k + 1) + 3 by omega]
    omega
have low : 660 ≤ f 1980 := many 659
have rest : 1351 ≤ f 4053 := many 1350
have a : f 1980 + f 2 ≤ f 1982 := above 1980 2 (by omega) (by omega)
have b : f 1982 + f 1982 ≤ f 3964 := above 1982 1982 (by omega) (by omega)
have c : f 3964 + f 1982 ≤ f 5946 := above 3964 1982 (by omega) (by omega)
have d : f 5946 + f 4053 ≤ f 9999 := above 5946 4053 (by omega) (by omega)
omega
