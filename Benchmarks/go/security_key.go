package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

type verdict int

const (
	authorized verdict = iota
	denied
	malformedBody
	malformedAppID
	malformedUserID
	malformedSecurityKey
	verdicts
)

const (
	headLength = 31
	clockSkew  = 60
)

type credential struct {
	appID string
	keyID uint32
}

type keyring map[credential][]byte

type request struct {
	AppID       string `json:"app_id"`
	UserID      string `json:"user_id"`
	SecurityKey string `json:"security_key"`
}

var (
	encoding = base64.RawURLEncoding
	standIn  = make([]byte, 32)
)

// A field that is missing, null or of another type fails or stays empty, and empty is refused.
func (keys keyring) decide(body []byte, now int64) verdict {
	var fields request
	if !utf8.Valid(body) || json.Unmarshal(body, &fields) != nil {
		return malformedBody
	}
	return keys.judge(fields, uint64(now))
}

func isIdentifier(text string, largest int) bool {
	units := 0
	for _, character := range text {
		if character < 0x20 || character == 0x7f {
			return false
		}
		units++
		if character > 0xffff {
			units++
		}
	}
	return units > 0 && units <= largest
}

// The decoder skips line feeds, so the length of what it returns is part of the grammar.
func decodeKey(key string) ([]byte, bool) {
	encoded := strings.TrimPrefix(key, "dgk1.")
	if len(key) != 89 || len(encoded) != 84 {
		return nil, false
	}
	decoded, err := encoding.DecodeString(encoded)
	return decoded, err == nil && len(decoded) == headLength+sha256.Size && decoded[0] == 0
}

func appendField(message []byte, field string) []byte {
	message = binary.BigEndian.AppendUint32(message, uint32(len(field)))
	return append(message, field...)
}

func uint40(bytes []byte) uint64 {
	return uint64(bytes[0])<<32 | uint64(binary.BigEndian.Uint32(bytes[1:5]))
}

func (keys keyring) judge(fields request, now uint64) verdict {
	if !isIdentifier(fields.AppID, 255) {
		return malformedAppID
	}
	if !isIdentifier(fields.UserID, 100) {
		return malformedUserID
	}
	decoded, wellFormed := decodeKey(fields.SecurityKey)
	if !wellFormed {
		return malformedSecurityKey
	}
	head := decoded[:headLength]
	secret, known := keys[credential{fields.AppID, binary.BigEndian.Uint32(head[1:5])}]
	if !known {
		secret = standIn
	}
	message := append(make([]byte, 0, 512), "deskgate/sk/v1"...)
	message = append(message, head...)
	message = appendField(message, fields.AppID)
	message = appendField(message, fields.UserID)
	mac := hmac.New(sha256.New, secret)
	mac.Write(message)
	if !hmac.Equal(mac.Sum(nil), decoded[headLength:]) || !known {
		return denied
	}
	issuedAt, expiresAt := uint40(head[5:10]), uint40(head[10:15])
	if issuedAt > now+clockSkew || expiresAt != 0 && now > expiresAt+clockSkew {
		return denied
	}
	return authorized
}
