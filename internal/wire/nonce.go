package wire

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
)

// NewNonce returns 128 random bits as 32 hexadecimal digits. A result is accepted only
// when it echoes the nonce of the item it answers.
func NewNonce() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: it aborts the program when the system has no randomness
	return hex.EncodeToString(b[:])
}

// ValidNonce reports whether s has the form of a nonce.
func ValidNonce(s string) bool { return len(s) == 32 && isHex(s) }

// SameNonce compares two nonces in constant time.
func SameNonce(a, b string) bool {
	return ValidNonce(a) && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
