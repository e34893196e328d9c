# Asks clients/Deskgate.pm what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.
use strict;
use warnings;
use JSON::PP;
use Deskgate qw(mint_security_key verify_security_key verify_event);

sub bytes { return pack 'H*', $_[0] }
sub pairs { return map { text($_) } map { split /:/, $_, -1 } @_ }

sub text {
    my $text = bytes($_[0]);
    utf8::decode($text) or die 'not UTF-8';
    return $text;
}

sub example {
    my ($env, $body) = @_;
    my $secret = do { local (@ARGV, $/) = 'secrets/app-1.key'; <> };
    my $security_key = mint_security_key('my-app', 'user-1', 1, $secret);    # for the signed-in user
    verify_security_key('my-app', 'user-1', $security_key, { 1 => $secret });    # in a test of yours
    my $signing_secret = do { local (@ARGV, $/) = 'secrets/backend.key'; <> };
    verify_event($env, $body, [$signing_secret]);    # dies with a Deskgate::Error: answer 401
    return $security_key;
}

sub of_sendbird {
    my ($env, $body) = @_;
    my $secret = do { local (@ARGV, $/) = 'secrets/sendbird-1.key'; <> };
    my $signing_secret = do { local (@ARGV, $/) = 'secrets/backend.key'; <> };
    my $security_key = mint_security_key('sendbird-app', 'user-1', 1, $secret);    # for POST /sendbird/session-token
    verify_event($env, $body, [$signing_secret]);    # dies with a Deskgate::Error: answer 401
    my $event = decode_json($body);    # JSON::PP
    my $score = $event->{type} eq 'ticket.rated' ? $event->{data}{score} : undef;
    return "$security_key $score";
}

sub read_event {
    my $event = decode_json($_[0]);
    return "$event->{type} $event->{data}{ticket_id}";
}

sub answer {
    my ($command, @fields) = @_;
    if ($command eq 'mint') {
        my ($app, $user, $key_id, $secret, $lifetime, $now, $salt) = @fields;
        my @own = $now eq '-' ? () : (now => $now, salt => bytes($salt));
        return mint_security_key(text($app), text($user), $key_id, text($secret), lifetime => $lifetime, @own);
    }
    if ($command eq 'verify') {
        my ($app, $user, $key, $now, @secrets) = @fields;
        verify_security_key(text($app), text($user), text($key), { pairs(@secrets) }, now => $now);
        return 'valid';
    }
    if ($command eq 'event' || $command eq 'read') {
        my ($now, $body, $secrets, @headers) = @fields;
        my @texts = map { text($_) } split /,/, $secrets;
        # Headers are bytes.
        my %headers = map { bytes($_) } map { split /:/, $_, -1 } @headers;
        verify_event(\%headers, bytes($body), [@texts], now => $now);
        return $command eq 'event' ? 'genuine' : read_event(bytes($body));
    }
    return mint_security_key('app', chr 0xD800, 1, 'A' x 43) if $command eq 'not-unicode';
    return mint_security_key('app', 'user', 1, 'A' x 43, lifetime => 0.5) if $command eq 'half-second';
    return 'impossible' if $command eq 'number';
    my ($body, @headers) = @fields;
    my %headers = pairs(@headers);
    my $env = { map { 'HTTP_' . uc(tr/-/_/r) => $headers{$_} } keys %headers };
    return $command eq 'sendbird' ? of_sendbird($env, bytes($body)) : example($env, bytes($body));
}

$| = 1;
while (my $line = <STDIN>) {
    chomp $line;
    my $answer = eval { answer(split /\t/, $line, -1) };
    if (!defined $answer) {
        die $@ if !ref $@;
        $answer = $@->reason;
    }
    print "$answer\n";
}
