// Package deskgate is Deskgate for a backend in Go: it mints and verifies security keys, and verifies signed events.
//
// Copy this file; it needs Go 1.19 and no module. Error.Reason is a word of the table in clients/README.md.
//
//	secret, _ := os.ReadFile("secrets/app-1.key")
//	securityKey, err := deskgate.MintSecurityKey("my-app", "user-1", 1, string(secret), 7*24*time.Hour) // for the signed-in user
//	err = deskgate.VerifySecurityKey("my-app", "user-1", securityKey, map[uint32]string{1: string(secret)}) // in a test of yours
//	signingSecret, _ := os.ReadFile("secrets/backend.key")
//	err = deskgate.VerifyEvent(request.Header, body, []string{string(signingSecret)}) // an error: answer 401
package deskgate

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// ClockSkew is how far the clocks of backend and service may differ, as the service has it by default.
const ClockSkew = 60 * time.Second

// Error is why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given.
type Error struct{ Reason, Message string }

func (e *Error) Error() string { return "deskgate: " + e.Reason + ": " + e.Message }

// MintSecurityKey makes a security key of 89 characters.
//
// The secret is what "deskgate secret new" prints, and keyID its number in the service's configuration. The lifetime is in
// whole seconds; 0 never ends.
func MintSecurityKey(appID, userID string, keyID uint32, secret string, lifetime time.Duration) (string, error) {
	var salt [16]byte
	if _, err := rand.Read(salt[:]); err != nil {
		return "", err
	}
	return MintSecurityKeyAt(appID, userID, keyID, secret, lifetime, time.Now(), salt)
}

// MintSecurityKeyAt is MintSecurityKey with a time and a salt, for tests: each key needs a random salt of its own.
func MintSecurityKeyAt(
	appID, userID string, keyID uint32, secret string, lifetime time.Duration, now time.Time, salt [16]byte,
) (string, error) {
	if err := checkIdentifiers(appID, userID); err != nil {
		return "", err
	}
	key, err := keySecret(secret)
	if err != nil {
		return "", err
	}
	issuedAt, seconds := now.Unix(), int64(lifetime/time.Second)
	if lifetime < 0 || lifetime%time.Second != 0 || issuedAt < 0 || issuedAt+seconds >= 1<<40 {
		return "", &Error{"bad_argument", "lifetime is whole seconds, at least 0, and the key ends before 2^40"}
	}
	expiresAt := issuedAt + seconds
	if seconds == 0 {
		expiresAt = 0
	}
	head := binary.BigEndian.AppendUint32([]byte{0}, keyID)
	for _, moment := range []int64{issuedAt, expiresAt} {
		head = append(head, byte(moment>>32))
		head = binary.BigEndian.AppendUint32(head, uint32(moment))
	}
	head = append(head, salt[:]...)
	return "dgk1." + base64.RawURLEncoding.EncodeToString(append(head, mac(key, head, appID, userID)...)), nil
}

// VerifySecurityKey returns an *Error unless the key is genuine and in force; secrets has the app's secrets by key id.
//
// The service alone knows what is revoked or blocked, and how long a key may live.
func VerifySecurityKey(appID, userID, securityKey string, secrets map[uint32]string) error {
	return VerifySecurityKeyAt(appID, userID, securityKey, secrets, time.Now())
}

// VerifySecurityKeyAt is VerifySecurityKey at another time.
func VerifySecurityKeyAt(appID, userID, securityKey string, secrets map[uint32]string, now time.Time) error {
	if err := checkIdentifiers(appID, userID); err != nil {
		return err
	}
	if err := checkText("securityKey", securityKey, 100); err != nil {
		return err
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(securityKey, "dgk1."))
	if err != nil || !securityKeyForm.MatchString(securityKey) {
		return &Error{"not_a_security_key", "expected dgk1. and 84 base64url characters"}
	}
	head := data[:31]
	secret, known := secrets[binary.BigEndian.Uint32(head[1:])]
	if !known {
		return &Error{"unknown_key", "there is no secret of this key id"}
	}
	key, err := keySecret(secret)
	if err != nil {
		return err
	}
	if !hmac.Equal(mac(key, head, appID, userID), data[31:]) {
		return &Error{"wrong_mac", "made with another secret, or for another app or user"}
	}
	skew := int64(ClockSkew / time.Second)
	issuedAt := int64(head[5])<<32 | int64(binary.BigEndian.Uint32(head[6:]))
	expiresAt := int64(head[10])<<32 | int64(binary.BigEndian.Uint32(head[11:]))
	if issuedAt > now.Unix()+skew {
		return &Error{"issued_in_future", "issued later than now; one of the clocks is wrong"}
	}
	if expiresAt != 0 && now.Unix() > expiresAt+skew {
		return &Error{"expired", "its life is over"}
	}
	return nil
}

// VerifyEvent returns an *Error unless the service has signed this request (Standard Webhooks) at most five minutes from now.
//
// The body is raw, as it was received, and secrets ("whsec_…") are several while one is replaced. A retry has the same webhook-id, so
// remember the ids that you have processed.
func VerifyEvent(headers http.Header, body []byte, secrets []string) error {
	return VerifyEventAt(headers, body, secrets, time.Now(), 5*time.Minute)
}

// VerifyEventAt is VerifyEvent at another time, or with another tolerance.
func VerifyEventAt(headers http.Header, body []byte, secrets []string, now time.Time, tolerance time.Duration) error {
	id, timestamp, signatures := headers.Get("webhook-id"), headers.Get("webhook-timestamp"), headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return &Error{"missing_header", "expected webhook-id, webhook-timestamp and webhook-signature"}
	}
	if len(secrets) == 0 {
		return &Error{"bad_secret", "expected at least one secret"}
	}
	genuine := false
	for _, secret := range secrets {
		key, err := signingSecret(secret)
		if err != nil {
			return err
		}
		code := hmac.New(sha256.New, key)
		code.Write([]byte(id + "." + timestamp + "."))
		code.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(code.Sum(nil))
		for _, signature := range strings.Split(signatures, " ") {
			if hmac.Equal([]byte(expected), []byte(signature)) {
				genuine = true
			}
		}
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if !genuine || strings.Contains(id, ".") || !timestampForm.MatchString(timestamp) {
		return &Error{"not_genuine", "made with another secret, or of another body"}
	}
	if age := now.Unix() - seconds; age > int64(tolerance/time.Second) || -age > int64(tolerance/time.Second) {
		return &Error{"expired", "signed too long before or after now"}
	}
	return nil
}

func mac(key, head []byte, identifiers ...string) []byte {
	message := append([]byte("deskgate/sk/v1"), head...)
	for _, identifier := range identifiers {
		message = binary.BigEndian.AppendUint32(message, uint32(len(identifier)))
		message = append(message, identifier...)
	}
	code := hmac.New(sha256.New, key)
	code.Write(message)
	return code.Sum(nil)
}

func checkIdentifiers(appID, userID string) error {
	if err := checkText("appID", appID, 255); err != nil {
		return err
	}
	return checkText("userID", userID, 100)
}

// checkText returns an error unless the value is UTF-8 of 1 to longest UTF-16 units without control characters.
func checkText(name, value string, longest int) error {
	isControl := func(character rune) bool { return character < 0x20 || character == 0x7f }
	switch {
	case value == "":
		return &Error{"empty", name + " is empty"}
	case strings.IndexFunc(value, isControl) >= 0:
		return &Error{"control_character", name + " has a control character"}
	case !utf8.ValidString(value):
		return &Error{"not_unicode", name + " is not UTF-8"}
	case len(utf16.Encode([]rune(value))) > longest:
		return &Error{"too_long", name + " has more than " + strconv.Itoa(longest) + " UTF-16 units"}
	}
	return nil
}

// Go's decoder ignores line breaks, so the forms are checked as well. The first byte of a key is 0: in base64url A and
// one of A to P.
var (
	securityKeyForm   = regexp.MustCompile(`\Adgk1\.A[A-P][A-Za-z0-9_-]{82}\z`)
	timestampForm     = regexp.MustCompile(`\A[0-9]{1,15}\z`)
	keySecretForm     = regexp.MustCompile(`\A[A-Za-z0-9_-]{43}\z`)
	signingSecretForm = regexp.MustCompile(`\Awhsec_[A-Za-z0-9+/]{32,86}={0,2}\z`)
)

func keySecret(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	key, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || !keySecretForm.MatchString(text) {
		return nil, &Error{"bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it"}
	}
	return key, nil
}

func signingSecret(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
	if err != nil || !signingSecretForm.MatchString(text) {
		return nil, &Error{"bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it"}
	}
	return key, nil
}
