// The way out as the settings want it. Certificates that are named but cannot be read stop the start, not the first alert.
import { readFileSync } from 'node:fs';
import { UsageError } from '../../kernel/errors.ts';
import { createSender, type Sender } from './sender.ts';

export interface ChannelSettings {
  allow_private_networks: boolean;
  tls_ca_file: string | undefined;
}

function authorities(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`channels.tls_ca_file: ${file} cannot be read.`);
  }
}

export function senderFrom({ allow_private_networks, tls_ca_file }: ChannelSettings): Sender {
  return createSender({ allow_private_networks, ca: authorities(tls_ca_file) });
}
