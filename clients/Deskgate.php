<?php

declare(strict_types=1);

/** Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given. */
final class DeskgateException extends RuntimeException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct("$reason: $message");
    }
}

/**
 * Deskgate for a backend in PHP: mints and verifies security keys, and verifies signed events.
 *
 * Copy this file; it needs PHP 8.1 and no package. DeskgateException::$reason is a word of the table in clients/README.md.
 *
 *     $secret = file_get_contents('secrets/app-1.key');
 *     $securityKey = Deskgate::mintSecurityKey('my-app', 'user-1', 1, $secret); // for the signed-in user
 *     Deskgate::verifySecurityKey('my-app', 'user-1', $securityKey, [1 => $secret]); // in a test of yours
 *     $signingSecret = file_get_contents('secrets/backend.key');
 *     Deskgate::verifyEvent(getallheaders(), $body, [$signingSecret]); // throws DeskgateException: answer 401
 */
final class Deskgate
{
    /** How far the clocks of backend and service may differ, in seconds, as the service has it by default. */
    private const CLOCK_SKEW = 60;

    /**
     * Makes a security key of 89 characters.
     *
     * @param int $keyId the secret's number in the service's configuration
     * @param string $secret what `deskgate secret new` prints
     * @param int $lifetime in seconds; 0 never ends
     * @param ?int $now in Unix seconds; only for tests
     * @param ?string $salt 16 bytes, only for tests: each key needs a random salt of its own
     */
    public static function mintSecurityKey(
        string $appId,
        string $userId,
        int $keyId,
        #[\SensitiveParameter] string $secret,
        int $lifetime = 7 * 86400,
        ?int $now = null,
        ?string $salt = null,
    ): string {
        self::checkText('appId', $appId, 255);
        self::checkText('userId', $userId, 100);
        $now ??= time();
        $salt ??= random_bytes(16);
        if ($keyId < 0 || $keyId >= 1 << 32) {
            throw new DeskgateException('bad_argument', 'keyId is from 0 to 4294967295');
        }
        if ($lifetime < 0 || $now < 0 || $lifetime >= (1 << 40) - $now) {
            throw new DeskgateException('bad_argument', 'lifetime is at least 0 seconds, and the key ends before 2^40');
        }
        if (strlen($salt) !== 16) {
            throw new DeskgateException('bad_argument', 'salt is 16 bytes');
        }
        $expiresAt = $lifetime === 0 ? 0 : $now + $lifetime;
        $head = pack('CN', 0, $keyId) . substr(pack('J', $now), 3) . substr(pack('J', $expiresAt), 3) . $salt;
        $key = $head . self::mac(self::keySecret($secret), $head, $appId, $userId);
        return 'dgk1.' . strtr(base64_encode($key), '+/', '-_');
    }

    /**
     * Throws DeskgateException unless the key is genuine and in force.
     *
     * The service alone knows what is revoked or blocked, and how long a key may live.
     *
     * @param array<int, string> $secrets the app's secrets by key id
     */
    public static function verifySecurityKey(
        string $appId,
        string $userId,
        #[\SensitiveParameter] string $securityKey,
        #[\SensitiveParameter] array $secrets,
        ?int $now = null,
    ): void {
        self::checkText('appId', $appId, 255);
        self::checkText('userId', $userId, 100);
        self::checkText('securityKey', $securityKey, 100);
        $now ??= time();
        // The first byte of the head is 0: in base64url A and one of A to P.
        if (!preg_match('/\Adgk1\.A[A-P][A-Za-z0-9_-]{82}\z/', $securityKey)) {
            throw new DeskgateException('not_a_security_key', 'expected dgk1. and 84 base64url characters');
        }
        $key = base64_decode(strtr(substr($securityKey, 5), '-_', '+/'));
        $head = substr($key, 0, 31);
        [$keyId, $issuedAt, $expiresAt] = array_map(
            fn (string $bytes): int => hexdec(bin2hex($bytes)),
            [substr($key, 1, 4), substr($key, 5, 5), substr($key, 10, 5)],
        );
        if (!isset($secrets[$keyId])) {
            throw new DeskgateException('unknown_key', 'there is no secret of this key id');
        }
        if (!hash_equals(self::mac(self::keySecret($secrets[$keyId]), $head, $appId, $userId), substr($key, 31))) {
            throw new DeskgateException('wrong_mac', 'made with another secret, or for another app or user');
        }
        if ($issuedAt > $now + self::CLOCK_SKEW) {
            throw new DeskgateException('issued_in_future', 'issued later than now; one of the clocks is wrong');
        }
        if ($expiresAt !== 0 && $now > $expiresAt + self::CLOCK_SKEW) {
            throw new DeskgateException('expired', 'its life is over');
        }
    }

    /**
     * Throws DeskgateException unless the service has signed this request (Standard Webhooks) at most `$tolerance` seconds from now.
     *
     * A retry has the same `webhook-id`, so remember the ids that you have processed.
     *
     * @param array<string, string|string[]> $headers in any case, as getallheaders() or a PSR-7 request has them, or $_SERVER
     * @param string $body raw, as it was received: file_get_contents('php://input')
     * @param string[] $secrets `whsec_…`; several while one is replaced
     */
    public static function verifyEvent(
        array $headers,
        string $body,
        #[\SensitiveParameter] array $secrets,
        ?int $now = null,
        int $tolerance = 300,
    ): void {
        $given = [];
        foreach ($headers as $name => $value) {
            $given[preg_replace('/\Ahttp-/', '', strtr(strtolower((string) $name), '_', '-'))] = is_array($value) ? $value[0] ?? '' : $value;
        }
        [$id, $timestamp, $signatures] = array_map(
            fn (string $name): string => (string) ($given["webhook-$name"] ?? ''),
            ['id', 'timestamp', 'signature'],
        );
        if ($id === '' || $timestamp === '' || $signatures === '') {
            throw new DeskgateException('missing_header', 'expected webhook-id, webhook-timestamp and webhook-signature');
        }
        if ($secrets === []) {
            throw new DeskgateException('bad_secret', 'expected at least one secret');
        }
        $genuine = false;
        foreach (array_map(self::signingSecret(...), $secrets) as $key) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
            foreach (explode(' ', $signatures) as $signature) {
                $genuine = hash_equals($expected, $signature) || $genuine;
            }
        }
        if (!$genuine || str_contains($id, '.') || !preg_match('/\A[0-9]{1,15}\z/', $timestamp)) {
            throw new DeskgateException('not_genuine', 'made with another secret, or of another body');
        }
        if (abs(($now ?? time()) - (int) $timestamp) > $tolerance) {
            throw new DeskgateException('expired', 'signed too long before or after now');
        }
    }

    private static function mac(#[\SensitiveParameter] string $secret, string $head, string $appId, string $userId): string
    {
        $message = 'deskgate/sk/v1' . $head . pack('N', strlen($appId)) . $appId . pack('N', strlen($userId)) . $userId;
        return hash_hmac('sha256', $message, $secret, true);
    }

    /** Throws unless the value is UTF-8 of 1 to `$longest` UTF-16 units without control characters. */
    private static function checkText(string $name, #[\SensitiveParameter] string $value, int $longest): void
    {
        if ($value === '') {
            throw new DeskgateException('empty', "$name is empty");
        }
        if (preg_match('/[\x00-\x1f\x7f]/', $value)) {
            throw new DeskgateException('control_character', "$name has a control character");
        }
        if (!preg_match('//u', $value)) {
            throw new DeskgateException('not_unicode', "$name is not UTF-8");
        }
        // A character has one lead byte, and is a pair of UTF-16 units if its lead byte is 0xF0 or more.
        if (preg_match_all('/[^\x80-\xbf]/', $value) + preg_match_all('/[\xf0-\xff]/', $value) > $longest) {
            throw new DeskgateException('too_long', "$name has more than $longest UTF-16 units");
        }
    }

    private static function keySecret(#[\SensitiveParameter] string $secret): string
    {
        if (!preg_match('/\A[A-Za-z0-9_-]{43}\z/', trim($secret))) {
            throw new DeskgateException('bad_secret', 'a secret is 43 base64url characters, as deskgate secret new prints it');
        }
        return base64_decode(strtr(trim($secret), '-_', '+/'));
    }

    private static function signingSecret(#[\SensitiveParameter] string $secret): string
    {
        if (!preg_match('#\Awhsec_([A-Za-z0-9+/]{32,86}={0,2})\z#', trim($secret), $match) || strlen($match[1]) % 4 !== 0) {
            throw new DeskgateException('bad_secret', 'a signing secret is whsec_ and base64, as deskgate secret new --signing prints it');
        }
        return base64_decode($match[1]);
    }
}
