// Asks clients/deskgate.go what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"driver/deskgate"
)

func text(field string) string {
	bytes, err := hex.DecodeString(field)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}

func number(field string) int64 {
	number, err := strconv.ParseInt(field, 10, 64)
	if err != nil {
		panic(err)
	}
	return number
}

func texts(fields []string) (result []string) {
	for _, field := range fields {
		result = append(result, text(field))
	}
	return
}

func headers(fields []string) http.Header {
	headers := http.Header{}
	for _, field := range fields {
		pair := texts(strings.Split(field, ":"))
		headers.Set(pair[0], pair[1])
	}
	return headers
}

func example(request *http.Request, body []byte) (string, error) {
	secret, _ := os.ReadFile("secrets/app-1.key")
	securityKey, err := deskgate.MintSecurityKey("my-app", "user-1", 1, string(secret), 7*24*time.Hour)    // for the signed-in user
	err = deskgate.VerifySecurityKey("my-app", "user-1", securityKey, map[uint32]string{1: string(secret)}) // in a test of yours
	signingSecret, _ := os.ReadFile("secrets/backend.key")
	err = deskgate.VerifyEvent(request.Header, body, []string{string(signingSecret)}) // an error: answer 401
	return securityKey, err
}

func ofSendbird(request *http.Request, body []byte) (string, error) {
	secret, _ := os.ReadFile("secrets/sendbird-1.key")
	signingSecret, _ := os.ReadFile("secrets/backend.key")
	securityKey, err := deskgate.MintSecurityKey("sendbird-app", "user-1", 1, string(secret), 7*24*time.Hour) // for POST /sendbird/session-token
	err = deskgate.VerifyEvent(request.Header, body, []string{string(signingSecret)})                          // an error: answer 401
	var event struct {
		Type string
		Data struct{ Score int }
	}
	err = json.Unmarshal(body, &event) // event.Type is "ticket.rated"
	return fmt.Sprint(securityKey, " ", event.Data.Score), err
}

func read(body string) (string, error) {
	var event struct {
		Type string
		Data struct {
			TicketID int64 `json:"ticket_id"`
		}
	}
	err := json.Unmarshal([]byte(body), &event)
	return fmt.Sprint(event.Type, " ", event.Data.TicketID), err
}

func answer(command string, fields []string) (string, error) {
	switch command {
	case "mint":
		app, user, secret := text(fields[0]), text(fields[1]), text(fields[3])
		keyID, salt := number(fields[2]), fields[6]
		if keyID < 0 || keyID >= 1<<32 || len(salt) != 32 && salt != "-" {
			return "impossible", nil
		}
		lifetime := time.Duration(number(fields[4])) * time.Second
		if salt == "-" {
			return deskgate.MintSecurityKey(app, user, uint32(keyID), secret, lifetime)
		}
		var bytes [16]byte
		copy(bytes[:], text(salt))
		return deskgate.MintSecurityKeyAt(app, user, uint32(keyID), secret, lifetime, time.Unix(number(fields[5]), 0), bytes)
	case "verify":
		secrets := map[uint32]string{}
		for _, field := range fields[4:] {
			pair := texts(strings.Split(field, ":"))
			secrets[uint32(number(pair[0]))] = pair[1]
		}
		return "valid", deskgate.VerifySecurityKeyAt(text(fields[0]), text(fields[1]), text(fields[2]), secrets, time.Unix(number(fields[3]), 0))
	case "event", "read":
		secrets := strings.Split(fields[2], ",")
		now := time.Unix(number(fields[0]), 0)
		err := deskgate.VerifyEventAt(
			headers(fields[3:]), []byte(text(fields[1])), texts(secrets[:len(secrets)-1]), now, 5*time.Minute)
		if err != nil || command == "event" {
			return "genuine", err
		}
		return read(text(fields[1]))
	case "not-unicode":
		return deskgate.MintSecurityKey("app", "\xff", 1, strings.Repeat("A", 43), time.Hour)
	case "half-second":
		return deskgate.MintSecurityKey("app", "user", 1, strings.Repeat("A", 43), time.Second/2)
	case "number":
		return "impossible", nil
	case "sendbird":
		return ofSendbird(&http.Request{Header: headers(fields[1:])}, []byte(text(fields[0])))
	default:
		return example(&http.Request{Header: headers(fields[1:])}, []byte(text(fields[0])))
	}
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		result, err := answer(fields[0], fields[1:])
		var refusal *deskgate.Error
		if errors.As(err, &refusal) {
			result = refusal.Reason
		} else if err != nil {
			panic(err)
		}
		fmt.Println(result)
	}
}
