import { describe, expect, it } from 'vitest';
import { type AddressKind, classifyAddress, refusedAddress } from './address-guard.ts';

const KINDS: Record<AddressKind, readonly string[]> = {
  public: [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '169.253.255.255',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    'fd12:3456::1',
    'fc00::1',
    'fec0::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '2002:c0a8:101::1',
  ],
  loopback: [
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
  unspecified: ['0.0.0.0', '0.1.2.3', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '2002::'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff00::', '::ffff:224.0.0.1', '64:ff9b::e000:1'],
  link_local: [
    '169.254.1.1',
    'fe80::1',
    'febf::1',
    'fe80::1%eth0',
    'fd00::1%1',
    '::ffff:169.254.1.1',
    '64:ff9b::a9fe:101',
    '2002:a9fe:101::1',
  ],
  metadata: [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'FD00:0EC2:0:0:0:0:0:254',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:0:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::ffff:100.100.100.200',
  ],
  broadcast: ['255.255.255.255', '::ffff:255.255.255.255'],
  reserved: [
    '240.0.0.1',
    '192.0.0.1',
    '100::1',
    '2001:0:a9fe:a9fe::1',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
  ],
  invalid: ['', 'localhost', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '1.2.3.4.5', '[::1]', '::g'],
};

const forms = Object.entries(KINDS).flatMap(([kind, addresses]) =>
  addresses.map((address) => ({ kind, address })),
);

describe('S3: the kind of an address', () => {
  it.each(forms)('$address is $kind', ({ kind, address }) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  it('knows more than 60 forms', () => {
    expect(new Set(forms.map(({ address }) => address)).size).toBeGreaterThan(60);
  });

  it.each(forms)('$address ($kind) is refused as it should be', ({ kind, address }) => {
    const allowed = kind === 'public' || kind === 'private' || kind === 'loopback';
    expect(refusedAddress(address, true) === undefined).toBe(allowed);
    expect(refusedAddress(address, false) === undefined).toBe(kind === 'public');
  });
});
