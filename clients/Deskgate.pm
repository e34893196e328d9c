package Deskgate;

use strict;
use warnings;
use Digest::SHA qw(hmac_sha256);
use Exporter qw(import);
use MIME::Base64 qw(decode_base64 decode_base64url encode_base64 encode_base64url);

our @EXPORT_OK = qw(mint_security_key verify_security_key verify_event);

# How far the clocks of backend and service may differ, in seconds, as the service has it by default.
use constant CLOCK_SKEW => 60;

# Makes a security key of 89 characters. The secret is what `deskgate secret new` prints, and the key id its number in the service's
# configuration. Options: lifetime in seconds, of which 0 never ends; now (Unix seconds) and salt (16 bytes) only in tests, because each key
# needs a random salt of its own.
sub mint_security_key {
    my ($app_id, $user_id, $key_id, $secret, %options) = @_;
    my ($app, $user) = (_text('app_id', $app_id, 255), _text('user_id', $user_id, 100));
    my ($lifetime, $now, $salt) = ($options{lifetime} // 7 * 86400, $options{now} // time, $options{salt} // _random_salt());
    _refuse('bad_argument', 'key_id is from 0 to 4294967295') if $key_id !~ /\A[0-9]{1,10}\z/ || $key_id >= 2**32;
    _refuse('bad_argument', 'lifetime is at least 0 whole seconds, and the key ends before 2^40')
        if grep({ !/\A[0-9]{1,15}\z/ } $lifetime, $now) || $now + $lifetime >= 2**40;
    _refuse('bad_argument', 'salt is 16 bytes') if length $salt != 16;
    my $expires_at = $lifetime == 0 ? 0 : $now + $lifetime;
    my $head = pack('C N', 0, $key_id) . substr(pack('Q>', $now), 3) . substr(pack('Q>', $expires_at), 3) . $salt;
    return 'dgk1.' . encode_base64url($head . _mac(_key_secret($secret), $head, $app, $user));
}

# Dies with a Deskgate::Error unless the key is genuine and in force. $secrets refers to a hash of the app's secrets by key id. Option: now.
# The service alone knows what is revoked or blocked, and how long a key may live.
sub verify_security_key {
    my ($app_id, $user_id, $security_key, $secrets, %options) = @_;
    my ($app, $user) = (_text('app_id', $app_id, 255), _text('user_id', $user_id, 100));
    _text('security_key', $security_key, 100);
    # The first byte of the head is 0: in base64url A and one of A to P.
    $security_key =~ /\Adgk1\.(A[A-P][A-Za-z0-9_-]{82})\z/
        or _refuse('not_a_security_key', 'expected dgk1. and 84 base64url characters');
    my ($head, $mac) = unpack 'a31 a32', decode_base64url($1);
    my ($key_id, $issued_at, $expires_at) = map { unpack 'Q>', substr("\0" x 8 . $_, -8) } unpack 'x a4 a5 a5', $head;
    my $secret = $secrets->{$key_id} // _refuse('unknown_key', 'there is no secret of this key id');
    _refuse('wrong_mac', 'made with another secret, or for another app or user')
        unless _equal(_mac(_key_secret($secret), $head, $app, $user), $mac);
    my $now = $options{now} // time;
    _refuse('issued_in_future', 'issued later than now; one of the clocks is wrong') if $issued_at > $now + CLOCK_SKEW;
    _refuse('expired', 'its life is over') if $expires_at != 0 && $now > $expires_at + CLOCK_SKEW;
    return 1;
}

# Dies with a Deskgate::Error unless the service has signed this request (Standard Webhooks) at most 300 seconds from now. $headers refers
# to a hash of headers in any case, or is the environment of PSGI. $body is raw, as it was received. $secrets refers to a list ("whsec_..."),
# several while one is replaced. Options: now, tolerance. A retry has the same webhook-id, so remember the ids that you have processed.
sub verify_event {
    my ($headers, $body, $secrets, %options) = @_;
    my %given;
    for my $name (keys %$headers) {
        my $plain = lc $name =~ tr/_/-/r;
        $given{ $plain =~ s/\Ahttp-//r } = $headers->{$name};
    }
    my ($id, $timestamp, $signatures) = map { $given{"webhook-$_"} // '' } qw(id timestamp signature);
    _refuse('missing_header', 'expected webhook-id, webhook-timestamp and webhook-signature')
        if grep { $_ eq '' } $id, $timestamp, $signatures;
    _refuse('bad_secret', 'expected at least one secret') if !@$secrets;
    my $genuine = 0;
    for my $key (map { _signing_secret($_) } @$secrets) {
        my $expected = 'v1,' . encode_base64(hmac_sha256("$id.$timestamp.$body", $key), '');
        $genuine |= _equal($expected, $_) for split / /, $signatures;
    }
    _refuse('not_genuine', 'made with another secret, or of another body')
        if !$genuine || $id =~ /\./ || $timestamp !~ /\A[0-9]{1,15}\z/;
    _refuse('expired', 'signed too long before or after now')
        if abs(($options{now} // time) - $timestamp) > ($options{tolerance} // 300);
    return 1;
}

sub _mac {
    my ($secret, $head, $app, $user) = @_;
    return hmac_sha256('deskgate/sk/v1' . $head . pack('N/a* N/a*', $app, $user), $secret);
}

# Whether two byte strings are equal, in a time that does not tell where they differ.
sub _equal {
    my ($left, $right) = @_;
    return length $left == length $right && ($left ^ $right) =~ tr/\0//c == 0 ? 1 : 0;
}

sub _random_salt {
    open my $random, '<:raw', '/dev/urandom' or die "cannot open /dev/urandom: $!";
    read($random, my $salt, 16) == 16 or die "cannot read /dev/urandom: $!";
    return $salt;
}

# The UTF-8 of a text of 1 to $longest UTF-16 units without control characters.
sub _text {
    my ($name, $value, $longest) = @_;
    _refuse('empty', "$name is empty") if ($value // '') eq '';
    _refuse('control_character', "$name has a control character") if $value =~ /[\x00-\x1f\x7f]/;
    _refuse('not_unicode', "$name has half of a surrogate pair") if $value =~ /[\x{D800}-\x{DFFF}]/;
    my $units = length($value) + ($value =~ tr/\x{10000}-\x{10FFFF}//);
    _refuse('too_long', "$name has more than $longest UTF-16 units") if $units > $longest;
    utf8::encode($value);
    return $value;
}

sub _key_secret {
    my ($secret) = @_;
    $secret =~ /\A\s*([A-Za-z0-9_-]{43})\s*\z/
        or _refuse('bad_secret', 'a secret is 43 base64url characters, as deskgate secret new prints it');
    return decode_base64url($1);
}

sub _signing_secret {
    my ($secret) = @_;
    $secret =~ m{\A\s*whsec_([A-Za-z0-9+/]{32,86}={0,2})\s*\z} && length($1) % 4 == 0
        or _refuse('bad_secret', 'a signing secret is whsec_ and base64, as deskgate secret new --signing prints it');
    return decode_base64($1);
}

sub _refuse {
    my ($reason, $message) = @_;
    die Deskgate::Error->new(reason => $reason, message => $message);
}

# Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given.
package Deskgate::Error;

use overload '""' => sub { $_[0]->reason . ': ' . $_[0]{message} . "\n" }, fallback => 1;

sub new {
    my ($class, %self) = @_;
    return bless {%self}, $class;
}

sub reason { return $_[0]{reason} }

1;

__END__

=encoding utf8

=head1 NAME

Deskgate - mints and verifies security keys, and verifies signed events, for a backend in Perl

=head1 SYNOPSIS

    my $secret = do { local (@ARGV, $/) = 'secrets/app-1.key'; <> };
    my $security_key = mint_security_key('my-app', 'user-1', 1, $secret);    # for the signed-in user
    verify_security_key('my-app', 'user-1', $security_key, { 1 => $secret });    # in a test of yours
    my $signing_secret = do { local (@ARGV, $/) = 'secrets/backend.key'; <> };
    verify_event($env, $body, [$signing_secret]);    # dies with a Deskgate::Error: answer 401

=head1 DESCRIPTION

Copy this file; it needs a 64-bit Perl 5.16 on Unix and no module but its core's. C<< $error->reason >> is a word of the table in
clients/README.md. Identifiers are texts, so decode them from bytes first; secrets, bodies and headers are bytes.

=cut
