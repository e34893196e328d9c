//! Asks clients/deskgate.rs what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.

mod deskgate;

use deskgate::*;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::fs;
use std::io::BufRead;
use std::time::Duration;

/// The headers of a request, as the crate http has them.
struct Headers(HashMap<String, Value>);

struct Value(String);

impl Headers {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

impl Value {
    fn to_str(&self) -> Result<&str, ()> {
        Ok(&self.0)
    }
}

fn bytes(field: &str) -> Vec<u8> {
    (0..field.len())
        .step_by(2)
        .map(|place| u8::from_str_radix(&field[place..place + 2], 16).unwrap())
        .collect()
}

fn text(field: &str) -> String {
    String::from_utf8(bytes(field)).unwrap()
}

fn pairs(fields: &[&str]) -> Vec<(String, String)> {
    fields
        .iter()
        .map(|field| field.split_once(':').unwrap())
        .map(|(name, value)| (text(name), text(value)))
        .collect()
}

fn headers(fields: &[&str]) -> Headers {
    Headers(
        pairs(fields)
            .into_iter()
            .map(|(name, value)| (name.to_lowercase(), Value(value)))
            .collect(),
    )
}

fn example(headers: &Headers, body: &[u8]) -> Result<String, Box<dyn StdError>> {
    let secret = fs::read_to_string("secrets/app-1.key")?;
    let security_key = mint_security_key(
        "my-app",
        "user-1",
        1,
        &secret,
        Duration::from_secs(7 * 86400),
    )?; // for the signed-in user
    verify_security_key(
        "my-app",
        "user-1",
        &security_key,
        &HashMap::from([(1, secret)]),
    )?; // in a test of yours
    let signing_secret = fs::read_to_string("secrets/backend.key")?;
    verify_event(
        |name| headers.get(name)?.to_str().ok(),
        body,
        &[&signing_secret],
    )?; // an error: answer 401
    Ok(security_key)
}

fn of_sendbird(headers: &Headers, body: &[u8]) -> Result<String, Box<dyn StdError>> {
    let secret = fs::read_to_string("secrets/sendbird-1.key")?;
    let signing_secret = fs::read_to_string("secrets/backend.key")?;
    let security_key = mint_security_key(
        "sendbird-app",
        "user-1",
        1,
        &secret,
        Duration::from_secs(7 * 86400),
    )?; // for POST /sendbird/session-token
    verify_event(
        |name| headers.get(name)?.to_str().ok(),
        body,
        &[&signing_secret],
    )?; // an error: answer 401
    let json = std::str::from_utf8(body)?; // for serde_json
    Ok(format!(
        "{security_key} {}",
        json.contains("\"ticket.rated\"")
    ))
}

fn mint(fields: &[&str]) -> Result<String, Error> {
    let (app, user, secret) = (text(fields[0]), text(fields[1]), text(fields[3]));
    let numbers = (
        fields[2].parse(),
        fields[4].parse().map(Duration::from_secs),
    );
    let (key_id, lifetime) = match numbers {
        (Ok(key_id), Ok(lifetime)) => (key_id, lifetime),
        _ => return Ok("impossible".to_string()),
    };
    if fields[5] == "-" {
        return mint_security_key(&app, &user, key_id, &secret, lifetime);
    }
    match (fields[5].parse(), bytes(fields[6]).try_into()) {
        (Ok(now), Ok(salt)) => {
            mint_security_key_at(&app, &user, key_id, &secret, lifetime, now, salt)
        }
        _ => Ok("impossible".to_string()),
    }
}

/// Rust's library has no JSON: the members are found in the text.
fn read(body: &str) -> Option<String> {
    let (_, rest) = body.split_once("\"type\":\"")?;
    let (kind, rest) = rest.split_once('"')?;
    let (_, rest) = rest.split_once("\"data\":{\"ticket_id\":")?;
    let (ticket, _) = rest.split_once(',')?;
    Some(format!("{kind} {ticket}"))
}

fn answer(command: &str, fields: &[&str]) -> Result<String, Error> {
    match command {
        "mint" => mint(fields),
        "verify" => {
            let secrets = pairs(&fields[4..])
                .into_iter()
                .map(|(key_id, secret)| (key_id.parse().unwrap(), secret))
                .collect();
            let now = fields[3].parse().unwrap();
            verify_security_key_at(
                &text(fields[0]),
                &text(fields[1]),
                &text(fields[2]),
                &secrets,
                now,
            )?;
            Ok("valid".to_string())
        }
        "event" | "read" => {
            let secrets: Vec<String> = fields[2].split(',').map(text).collect();
            let secrets: Vec<&str> = secrets
                .iter()
                .map(String::as_str)
                .take(secrets.len() - 1)
                .collect();
            let (headers, now) = (headers(&fields[3..]), fields[0].parse().unwrap());
            let find = |name: &str| headers.get(name)?.to_str().ok();
            verify_event_at(
                find,
                &bytes(fields[1]),
                &secrets,
                now,
                Duration::from_secs(300),
            )?;
            let found = match command {
                "event" => Some("genuine".to_string()),
                _ => read(&text(fields[1])),
            };
            Ok(found.unwrap_or_else(|| "unread".to_string()))
        }
        "sendbird" => {
            Ok(of_sendbird(&headers(&fields[1..]), &bytes(fields[0])).expect("the example works"))
        }
        "half-second" => mint_security_key(
            "app",
            "user",
            1,
            &"A".repeat(43),
            Duration::from_millis(500),
        ),
        "not-unicode" | "number" => Ok("impossible".to_string()),
        "hmac" => Ok(hmac_sha256(&bytes(fields[0]), &bytes(fields[1]))
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()),
        _ => Ok(example(&headers(&fields[1..]), &bytes(fields[0])).expect("the example works")),
    }
}

fn main() {
    for line in std::io::stdin().lock().lines().map(Result::unwrap) {
        let fields: Vec<&str> = line.split('\t').collect();
        println!(
            "{}",
            answer(fields[0], &fields[1..]).unwrap_or_else(|error| error.reason.to_string())
        );
    }
}
