// A file of certificates that cannot be read is told at the start.
import { expect, it } from 'vitest';
import { UsageError } from '../../kernel/errors.ts';
import { senderFrom } from './from-settings.ts';

it('names the setting whose file cannot be read', () => {
  const settings = { allow_private_networks: false, tls_ca_file: '/nowhere/ca.crt' };
  expect(() => senderFrom(settings)).toThrow(UsageError);
  expect(() => senderFrom(settings)).toThrow('channels.tls_ca_file: /nowhere/ca.crt cannot be read.');
});
