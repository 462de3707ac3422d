// Certificate, key and authority of the way in by TLS. Guards: files that were renewed are used by the next client, without a start.
import { readFileSync, statSync } from 'node:fs';
import { UsageError } from '../../kernel/errors.ts';
import type { SyslogSettings } from '../../kernel/syslog-settings.ts';

interface Contents {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

export class TlsFiles {
  readonly #names: NonNullable<SyslogSettings['tls']>;
  #seen = '';

  constructor(names: NonNullable<SyslogSettings['tls']>) {
    this.#names = names;
  }

  /** Since the last look; a change that cannot be read is one once. */
  haveChanged(): boolean {
    const before = this.#seen;
    this.#seen = this.#state();
    return this.#seen !== before;
  }

  read(): Contents {
    this.#seen = this.#state();
    const { cert, key, client_ca } = this.#names;
    return {
      cert: contentOf(cert),
      key: contentOf(key),
      ...(client_ca !== undefined && { ca: contentOf(client_ca) }),
    };
  }

  #state(): string {
    const { cert, key, client_ca } = this.#names;
    return [cert, key, client_ca ?? '']
      .map((name) => (name === '' ? undefined : statSync(name, { throwIfNoEntry: false })))
      .map((one) => (one === undefined ? '' : `${one.ino}:${one.mtimeMs}:${one.size}`))
      .join(' ');
  }
}

function contentOf(name: string): Buffer {
  try {
    return readFileSync(name);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The file ${name} of syslog.tls cannot be read: ${why}.`);
  }
}
