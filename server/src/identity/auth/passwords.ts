// Passwords at rest: argon2id, written as a PHC string that carries its own parameters. Every path through
// `verify` costs exactly one hash, also when there is nothing to compare with, so that time tells nobody which
// accounts exist.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Secret } from '../../kernel/secret.ts';
import { loginQueue } from './login-queue.ts';

const derive = promisify(argon2);

/** Memory in KiB, passes and lanes of argon2id. */
export interface HashCost {
  memory_kib: number;
  passes: number;
  lanes: number;
}

/** What OWASP asks for at least; about 50 ms on a small server. */
export const DEFAULT_COST: HashCost = { memory_kib: 19456, passes: 2, lanes: 1 };

const SALT_BYTES = 16;
const TAG_BYTES = 32;
const AT_ONCE = 2;
const WAITING = 64;
/** More than this in a stored string is no hash of ours, and must not be computed. */
const CAP: HashCost = { memory_kib: 1024 * 1024, passes: 16, lanes: 16 };

export interface ParsedHash {
  cost: HashCost;
  salt: Buffer;
  tag: Buffer;
}

const PHC =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,7}),t=([1-9]\d{0,3}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Reads a PHC string of argon2id; undefined for anything else. */
export function parseHash(text: string): ParsedHash | undefined {
  const match = PHC.exec(text);
  if (!match) return undefined;
  const [, memory, passes, lanes, salt = '', tag = ''] = match;
  const cost = { memory_kib: Number(memory), passes: Number(passes), lanes: Number(lanes) };
  const allowed =
    cost.memory_kib <= CAP.memory_kib &&
    cost.memory_kib >= 8 * cost.lanes &&
    cost.passes <= CAP.passes &&
    cost.lanes <= CAP.lanes;
  return allowed ? { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') } : undefined;
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/(?<!=)=+$/, '');

/** Writes a PHC string. */
export function formatHash({ cost, salt, tag }: ParsedHash): string {
  const parameters = `m=${cost.memory_kib},t=${cost.passes},p=${cost.lanes}`;
  return `$argon2id$v=19$${parameters}$${unpadded(salt)}$${unpadded(tag)}`;
}

export interface Passwords {
  /** The PHC string to store. */
  hash(password: Secret): Promise<string>;
  /** True when the password belongs to the stored string. With null one hash is spent, and the answer is false. */
  verify(password: Secret, stored: string | null): Promise<boolean>;
  /** True when the stored string was made with other parameters than new ones are. */
  isOutdated(stored: string): boolean;
}

export interface PasswordsOptions {
  cost?: HashCost;
  /** Called once for each hash that is computed. */
  onHash?: () => void;
}

function sameCost(a: HashCost, b: HashCost): boolean {
  return a.memory_kib === b.memory_kib && a.passes === b.passes && a.lanes === b.lanes;
}

/** Hashes and verifies, two at a time in this process; one of these is shared by everything that needs it. */
export function createPasswords({ cost = DEFAULT_COST, onHash }: PasswordsOptions = {}): Passwords {
  const queued = loginQueue({ at_once: AT_ONCE, waiting: WAITING });
  const nobody: ParsedHash = { cost, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

  const compute = (password: Secret, { cost: used, salt, tag }: ParsedHash) =>
    queued(() => {
      onHash?.();
      return derive('argon2id', {
        // The same text typed on another keyboard may arrive in other code points.
        message: password.reveal().normalize('NFKC'),
        nonce: salt,
        parallelism: used.lanes,
        tagLength: tag.length,
        memory: used.memory_kib,
        passes: used.passes,
      });
    });

  return {
    async hash(password) {
      const empty = { cost, salt: randomBytes(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) };
      return formatHash({ ...empty, tag: await compute(password, empty) });
    },
    async verify(password, stored) {
      const known = stored === null ? undefined : parseHash(stored);
      const compared = known ?? nobody;
      const tag = await compute(password, compared);
      return timingSafeEqual(tag, compared.tag) && known !== undefined;
    },
    isOutdated(stored) {
      const parsed = parseHash(stored);
      return !parsed || !sameCost(parsed.cost, cost);
    },
  };
}
