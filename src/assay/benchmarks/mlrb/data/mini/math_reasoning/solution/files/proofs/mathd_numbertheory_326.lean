have pos : n ∣ 720 := ⟨(n - 1) * (n + 1), by rw [← h₀, Int.mul_comm (n - 1) n, Int.mul_assoc]⟩
have top := Int.le_of_dvd (by decide) pos
have low := Int.le_of_dvd (by decide) (Int.neg_dvd.2 pos)
have all : ∀ q, q < 23 → ∀ r, r < 64 →
    (((64 * q + r : Nat) : Int) - 720 - 1) * (((64 * q + r : Nat) : Int) - 720) * (((64 * q + r : Nat) : Int) - 720 + 1) = 720 →
    64 * q + r = 729 := by decide +kernel
obtain ⟨k, hk⟩ : ∃ k : Nat, n = (k : Int) - 720 := ⟨(n + 720).toNat, by omega⟩
subst hk
have found := all (k / 64) (by omega) (k % 64) (by omega)
rw [Nat.div_add_mod] at found
have := found h₀
omega
