// What SCRAM-SHA-256 makes of a password and the salt that a server keeps for a role: a thousand times the work of all the rest of
// signing in, and the same each time, so that clients may keep it (RFC 5802, section 5.1). Guards: it is as good as the password for
// that role on that server, so it is found only by whoever has the password, is never written anywhere, and is forgotten once
// nobody has used it for ten minutes.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { systemClock } from './clock.ts';
import { scram } from './driver.ts';

const UNUSED_MS = 600_000;
/** A server may name another salt each time. */
const MOST = 2000;

interface Kept {
  salted: ReturnType<typeof scram.deriveKey>;
  usedAt: number;
}

export class SaltedPasswords {
  readonly #derive: typeof scram.deriveKey;
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, Kept>();

  constructor(derive: typeof scram.deriveKey, now = () => systemClock.monotonic()) {
    this.#derive = derive;
    this.#now = now;
  }

  get size(): number {
    return this.#kept.size;
  }

  of(password: string, salt: Uint8Array, iterations: number): ReturnType<typeof scram.deriveKey> {
    const now = this.#now();
    const named = JSON.stringify([password, Buffer.from(salt).toString('base64'), iterations]);
    const name = createHmac('sha256', this.#key).update(named).digest('base64');
    const known = this.#kept.get(name);
    const salted = known?.salted ?? this.#derive(password, salt, iterations);
    this.#kept.delete(name);
    this.#kept.set(name, { salted, usedAt: now });
    if (!known) salted.catch(() => this.#kept.delete(name));
    this.forget();
    return salted;
  }

  /** What nobody has used for long, and what is too much. */
  forget(): void {
    const now = this.#now();
    for (const [name, { usedAt }] of this.#kept) {
      if (this.#kept.size <= MOST && now - usedAt < UNUSED_MS) break;
      this.#kept.delete(name);
    }
  }
}

let isInUse = false;

/** For all sessions of this process. The rest of SCRAM is too little to be handed to other threads, as the driver does. */
export function keepSaltedPasswords(): void {
  if (isInUse) return;
  isInUse = true;
  const kept = new SaltedPasswords(scram.deriveKey);
  // Also where nobody signs in any more.
  setInterval(() => kept.forget(), UNUSED_MS).unref();
  scram.deriveKey = (password, salt, iterations) => kept.of(password, salt, iterations);
  scram.hmacSha256 = async (key, text) => createHmac('sha256', new Uint8Array(key)).update(text).digest();
  scram.sha256 = async (data) => createHash('sha256').update(new Uint8Array(data)).digest();
}
