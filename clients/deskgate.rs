//! Deskgate for a backend in Rust: mints and verifies security keys, and verifies signed events.
//!
//! Copy this file and write `mod deskgate;`. It needs Rust 1.63 on Unix and no crate, so it has SHA-256, HMAC and base64 itself.
//! `Error::reason` is a word of the table in clients/README.md.
//!
//! ```ignore
//! let secret = fs::read_to_string("secrets/app-1.key")?;
//! let security_key = mint_security_key("my-app", "user-1", 1, &secret, Duration::from_secs(7 * 86400))?; // for the signed-in user
//! verify_security_key("my-app", "user-1", &security_key, &HashMap::from([(1, secret)]))?; // in a test of yours
//! let signing_secret = fs::read_to_string("secrets/backend.key")?;
//! verify_event(|name| headers.get(name)?.to_str().ok(), body, &[&signing_secret])?; // an error: answer 401
//! ```

#![allow(dead_code)] // You may not need all of it.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How far the clocks of backend and service may differ, in seconds, as the service has it by default.
const CLOCK_SKEW: u64 = 60;

/// Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The word for programs.
    pub reason: &'static str,
    /// The sentence for people.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.reason, self.message)
    }
}

impl std::error::Error for Error {}

fn refuse<T>(reason: &'static str, message: impl Into<String>) -> Result<T, Error> {
    Err(Error {
        reason,
        message: message.into(),
    })
}

/// Makes a security key of 89 characters.
///
/// `secret` is what `deskgate secret new` prints, and `key_id` its number in the service's configuration. The `lifetime` is in
/// whole seconds; zero never ends.
pub fn mint_security_key(
    app_id: &str,
    user_id: &str,
    key_id: u32,
    secret: &str,
    lifetime: Duration,
) -> Result<String, Error> {
    let mut salt = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut random| random.read_exact(&mut salt))
        .expect("/dev/urandom can be read");
    mint_security_key_at(app_id, user_id, key_id, secret, lifetime, unix_time(), salt)
}

/// `mint_security_key` with a time in Unix seconds and a salt, for tests: each key needs a random salt of its own.
pub fn mint_security_key_at(
    app_id: &str,
    user_id: &str,
    key_id: u32,
    secret: &str,
    lifetime: Duration,
    now: u64,
    salt: [u8; 16],
) -> Result<String, Error> {
    check_text("app_id", app_id, 255)?;
    check_text("user_id", user_id, 100)?;
    let end = now.saturating_add(lifetime.as_secs());
    if lifetime.subsec_nanos() != 0 || end >= 1 << 40 {
        return refuse(
            "bad_argument",
            "lifetime is whole seconds, and the key ends before 2^40",
        );
    }
    let expires_at = if lifetime.is_zero() { 0 } else { end };
    let mut key = vec![0];
    key.extend(key_id.to_be_bytes());
    key.extend(&now.to_be_bytes()[3..]);
    key.extend(&expires_at.to_be_bytes()[3..]);
    key.extend(salt);
    key.extend(mac(&key_secret(secret)?, &key, app_id, user_id));
    Ok(format!("dgk1.{}", encode_base64(&key, b"-_")))
}

/// Returns an error unless the key is genuine and in force; `secrets` has the app's secrets by key id.
///
/// The service alone knows what is revoked or blocked, and how long a key may live.
pub fn verify_security_key(
    app_id: &str,
    user_id: &str,
    security_key: &str,
    secrets: &HashMap<u32, String>,
) -> Result<(), Error> {
    verify_security_key_at(app_id, user_id, security_key, secrets, unix_time())
}

/// `verify_security_key` at another time, in Unix seconds.
pub fn verify_security_key_at(
    app_id: &str,
    user_id: &str,
    security_key: &str,
    secrets: &HashMap<u32, String>,
    now: u64,
) -> Result<(), Error> {
    check_text("app_id", app_id, 255)?;
    check_text("user_id", user_id, 100)?;
    check_text("security_key", security_key, 100)?;
    let data = match security_key
        .strip_prefix("dgk1.")
        .and_then(|text| decode_base64(text, b"-_"))
    {
        Some(data) if data.len() == 63 && data[0] == 0 => data,
        _ => {
            return refuse(
                "not_a_security_key",
                "expected dgk1. and 84 base64url characters",
            )
        }
    };
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    let (head, given) = data.split_at(31);
    let secret = match secrets.get(&(number(&head[1..5]) as u32)) {
        Some(secret) => key_secret(secret)?,
        None => return refuse("unknown_key", "there is no secret of this key id"),
    };
    if !equal(&mac(&secret, head, app_id, user_id), given) {
        return refuse(
            "wrong_mac",
            "made with another secret, or for another app or user",
        );
    }
    let (issued_at, expires_at) = (number(&head[5..10]), number(&head[10..15]));
    if issued_at > now.saturating_add(CLOCK_SKEW) {
        return refuse(
            "issued_in_future",
            "issued later than now; one of the clocks is wrong",
        );
    }
    if expires_at != 0 && now > expires_at + CLOCK_SKEW {
        return refuse("expired", "its life is over");
    }
    Ok(())
}

/// Returns an error unless the service has signed this request (Standard Webhooks) at most five minutes from now.
///
/// `headers` finds a header whatever its case, `body` is raw, as it was received, and `secrets` (`whsec_…`) are several while one is
/// replaced. A retry has the same `webhook-id`, so remember the ids that you have processed.
pub fn verify_event<'a>(
    headers: impl Fn(&str) -> Option<&'a str>,
    body: &[u8],
    secrets: &[&str],
) -> Result<(), Error> {
    verify_event_at(
        headers,
        body,
        secrets,
        unix_time(),
        Duration::from_secs(300),
    )
}

/// `verify_event` at another time, in Unix seconds, or with another tolerance.
pub fn verify_event_at<'a>(
    headers: impl Fn(&str) -> Option<&'a str>,
    body: &[u8],
    secrets: &[&str],
    now: u64,
    tolerance: Duration,
) -> Result<(), Error> {
    let header = |name| headers(name).unwrap_or("");
    let (id, timestamp, signatures) = (
        header("webhook-id"),
        header("webhook-timestamp"),
        header("webhook-signature"),
    );
    if id.is_empty() || timestamp.is_empty() || signatures.is_empty() {
        return refuse(
            "missing_header",
            "expected webhook-id, webhook-timestamp and webhook-signature",
        );
    }
    if secrets.is_empty() {
        return refuse("bad_secret", "expected at least one secret");
    }
    let message = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
    let mut genuine = false;
    for secret in secrets {
        let code = hmac_sha256(&signing_secret(secret)?, &message);
        let expected = format!("v1,{}=", encode_base64(&code, b"+/"));
        for signature in signatures.split(' ') {
            genuine |= equal(expected.as_bytes(), signature.as_bytes());
        }
    }
    let is_number = timestamp.len() <= 15 && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    match timestamp.parse::<u64>() {
        Ok(sent) if genuine && is_number && !id.contains('.') => {
            let distance = if sent > now { sent - now } else { now - sent };
            if distance <= tolerance.as_secs() {
                Ok(())
            } else {
                refuse("expired", "signed too long before or after now")
            }
        }
        _ => refuse(
            "not_genuine",
            "made with another secret, or of another body",
        ),
    }
}

fn unix_time() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("the clock is after 1970")
        .as_secs()
}

fn mac(secret: &[u8], head: &[u8], app_id: &str, user_id: &str) -> [u8; 32] {
    let mut message = [b"deskgate/sk/v1", head].concat();
    for identifier in [app_id, user_id] {
        message.extend((identifier.len() as u32).to_be_bytes());
        message.extend(identifier.as_bytes());
    }
    hmac_sha256(secret, &message)
}

/// Whether two byte strings are equal, in a time that does not tell where they differ.
fn equal(left: &[u8], right: &[u8]) -> bool {
    let differences = left
        .iter()
        .zip(right)
        .fold(0, |bits, (a, b)| bits | (a ^ b));
    left.len() == right.len() && differences == 0
}

/// Returns an error unless the value has 1 to `longest` UTF-16 units and no control characters.
fn check_text(name: &str, value: &str, longest: usize) -> Result<(), Error> {
    if value.is_empty() {
        return refuse("empty", format!("{name} is empty"));
    }
    if value.chars().any(|character| character.is_ascii_control()) {
        return refuse(
            "control_character",
            format!("{name} has a control character"),
        );
    }
    if value.encode_utf16().count() > longest {
        return refuse(
            "too_long",
            format!("{name} has more than {longest} UTF-16 units"),
        );
    }
    Ok(())
}

fn key_secret(secret: &str) -> Result<Vec<u8>, Error> {
    match decode_base64(secret.trim(), b"-_") {
        Some(key) if key.len() == 32 => Ok(key),
        _ => refuse(
            "bad_secret",
            "a secret is 43 base64url characters, as deskgate secret new prints it",
        ),
    }
}

fn signing_secret(secret: &str) -> Result<Vec<u8>, Error> {
    let text = secret.trim().strip_prefix("whsec_").unwrap_or("");
    match decode_base64(text.trim_end_matches('='), b"+/") {
        Some(key) if (24..=64).contains(&key.len()) && text.len() == (key.len() + 2) / 3 * 4 => {
            Ok(key)
        }
        _ => refuse(
            "bad_secret",
            "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it",
        ),
    }
}

const LETTERS_AND_DIGITS: &[u8; 62] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Base64 without padding; `last` has its two characters that are no letters or digits.
fn encode_base64(bytes: &[u8], last: &[u8; 2]) -> String {
    let alphabet = [&LETTERS_AND_DIGITS[..], last].concat();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = (0..3).fold(0, |group, place| {
            group << 8 | usize::from(*chunk.get(place).unwrap_or(&0))
        });
        text.extend(
            (0..=chunk.len()).map(|place| char::from(alphabet[group >> (18 - 6 * place) & 63])),
        );
    }
    text
}

fn decode_base64(text: &str, last: &[u8; 2]) -> Option<Vec<u8>> {
    let alphabet = [&LETTERS_AND_DIGITS[..], last].concat();
    let mut bytes = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        if chunk.len() == 1 {
            return None;
        }
        let mut group = 0;
        for place in 0..4 {
            let sextet = chunk.get(place).map_or(Some(0), |character| {
                alphabet.iter().position(|known| known == character)
            })?;
            group = group << 6 | sextet as u32;
        }
        bytes.extend(&group.to_be_bytes()[1..chunk.len()]);
    }
    Some(bytes)
}

/// HMAC with SHA-256, RFC 2104.
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > 64 {
        block[..32].copy_from_slice(&sha256(key))
    } else {
        block[..key.len()].copy_from_slice(key)
    }
    let inner = sha256(&[&block.map(|byte| byte ^ 0x36), message].concat());
    sha256(&[&block.map(|byte| byte ^ 0x5c)[..], &inner].concat())
}

/// SHA-256, FIPS 180-4.
fn sha256(message: &[u8]) -> [u8; 32] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((message.len() + 9 + 63) / 64 * 64 - 8, 0);
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    let mut state = INITIAL_STATE;
    for block in padded.chunks(64) {
        let mut words: Vec<u32> = block
            .chunks(4)
            .map(|word| {
                word.iter()
                    .fold(0, |value, &byte| value << 8 | u32::from(byte))
            })
            .collect();
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words.push(
                words[i - 16]
                    .wrapping_add(s0)
                    .wrapping_add(words[i - 7])
                    .wrapping_add(s1),
            );
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for i in 0..64 {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h
                .wrapping_add(s1)
                .wrapping_add(choice)
                .wrapping_add(ROUND_CONSTANTS[i])
                .wrapping_add(words[i]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            (h, g, f, e, d, c, b, a) = (
                g,
                f,
                e,
                d.wrapping_add(t1),
                c,
                b,
                a,
                t1.wrapping_add(s0.wrapping_add(majority)),
            );
        }
        for (word, change) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(change);
        }
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

const INITIAL_STATE: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

#[rustfmt::skip]
const ROUND_CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
