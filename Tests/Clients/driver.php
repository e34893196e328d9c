<?php

// Asks clients/Deskgate.php what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.

declare(strict_types=1);

require __DIR__ . '/Deskgate.php';

$incoming = [];

/** What web servers define. */
function getallheaders(): array
{
    return $GLOBALS['incoming'];
}

function pairs(array $fields): array
{
    $pairs = [];
    foreach ($fields as $field) {
        [$name, $value] = array_map(hex2bin(...), explode(':', $field));
        $pairs[$name] = $value;
    }
    return $pairs;
}

function example(string $body): string
{
    $secret = file_get_contents('secrets/app-1.key');
    $securityKey = Deskgate::mintSecurityKey('my-app', 'user-1', 1, $secret); // for the signed-in user
    Deskgate::verifySecurityKey('my-app', 'user-1', $securityKey, [1 => $secret]); // in a test of yours
    $signingSecret = file_get_contents('secrets/backend.key');
    Deskgate::verifyEvent(getallheaders(), $body, [$signingSecret]); // throws DeskgateException: answer 401
    return $securityKey;
}

function ofSendbird(string $body): string
{
    $secret = file_get_contents('secrets/sendbird-1.key');
    $signingSecret = file_get_contents('secrets/backend.key');
    $securityKey = Deskgate::mintSecurityKey('sendbird-app', 'user-1', 1, $secret); // for POST /sendbird/session-token
    Deskgate::verifyEvent(getallheaders(), $body, [$signingSecret]); // throws DeskgateException: answer 401
    $event = json_decode($body);
    $score = $event->type === 'ticket.rated' ? $event->data->score : null;
    return "$securityKey $score";
}

function readEvent(string $body): string
{
    $event = json_decode($body);
    return "$event->type {$event->data->ticket_id}";
}

function answer(string $command, array $fields): string
{
    switch ($command) {
        case 'mint':
            [$app, $user, $keyId, $secret, $lifetime, $now, $salt] = $fields;
            $own = $now === '-';
            return Deskgate::mintSecurityKey(
                hex2bin($app), hex2bin($user), (int) $keyId, hex2bin($secret), (int) $lifetime, $own ? null : (int) $now,
                $own ? null : hex2bin($salt));
        case 'verify':
            [$app, $user, $key, $now] = $fields;
            Deskgate::verifySecurityKey(hex2bin($app), hex2bin($user), hex2bin($key), pairs(array_slice($fields, 4)), (int) $now);
            return 'valid';
        case 'event':
        case 'read':
            [$now, $body, $secrets] = $fields;
            $secrets = array_map(hex2bin(...), array_slice(explode(',', $secrets), 0, -1));
            Deskgate::verifyEvent(pairs(array_slice($fields, 3)), hex2bin($body), $secrets, (int) $now);
            return $command === 'event' ? 'genuine' : readEvent(hex2bin($body));
        case 'not-unicode':
            return Deskgate::mintSecurityKey('app', "\xff", 1, str_repeat('A', 43));
        case 'half-second':
        case 'number':
            return 'impossible';
        case 'sendbird':
            $GLOBALS['incoming'] = pairs(array_slice($fields, 1));
            return ofSendbird(hex2bin($fields[0]));
        default:
            $headers = pairs(array_slice($fields, 1));
            // As $_SERVER has them, as PSR-7 has them, and as getallheaders() has them.
            foreach (['HTTP_', ''] as $prefix) {
                $GLOBALS['incoming'] = [];
                foreach ($headers as $name => $value) {
                    $GLOBALS['incoming'][$prefix . strtoupper(strtr($name, '-', '_'))] = $prefix === '' ? [$value] : $value;
                }
                example(hex2bin($fields[0]));
            }
            $GLOBALS['incoming'] = $headers;
            return example(hex2bin($fields[0]));
    }
}

while (($line = fgets(STDIN)) !== false) {
    $fields = explode("\t", rtrim($line, "\n"));
    try {
        echo answer($fields[0], array_slice($fields, 1)), "\n";
    } catch (DeskgateException $error) {
        echo $error->reason, "\n";
    }
}
