package gbdt

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// sealFormat is the line before a sealed payload: its length and SHA-256. The
// checksum stands outside the text, which stays a valid LightGBM file.
const sealFormat = "hone-sealed v1 bytes=%d sha256=%x\n"

// Seal puts a checksum line before a payload.
func Seal(payload []byte) []byte {
	return append(fmt.Appendf(nil, sealFormat, len(payload), sha256.Sum256(payload)), payload...)
}

// Unseal verifies the checksum line at the start of data and returns the payload
// and what follows it.
func Unseal(data []byte) (payload, rest []byte, err error) {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		return nil, nil, fmt.Errorf("gbdt: no checksum line")
	}
	line, body := data[:end+1], data[end+1:]
	var n int
	var sum []byte
	if _, err := fmt.Sscanf(string(line), sealFormat, &n, &sum); err != nil {
		return nil, nil, fmt.Errorf("gbdt: bad checksum line %.80q", line)
	}
	if n < 0 || n > len(body) {
		return nil, nil, fmt.Errorf("gbdt: %d bytes of %d: the file is cut off", len(body), n)
	}
	payload = body[:n]
	if got := sha256.Sum256(payload); !bytes.Equal(got[:], sum) {
		return nil, nil, fmt.Errorf("gbdt: checksum mismatch: the file was changed or damaged")
	}
	return payload, body[n:], nil
}
