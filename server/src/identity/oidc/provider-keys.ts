// The public keys of a provider, kept for tokens that come with every request. Guards: tokens with unknown keys, and a provider that
// is away, make one request to it in a quarter of a minute at most; a key that was withdrawn is trusted for ten minutes at most.
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { MINUTE_MS } from '../../kernel/units.ts';

const KEPT_MS = 10 * MINUTE_MS;
const COOLDOWN_MS = 15_000;

export interface IssuerKeys {
  /** As the provider calls itself. */
  issuer: string;
  keys: JSONWebKeySet;
}

/** The provider cannot be asked for its keys at the moment. */
export class KeysAway extends Error {}

export class ProviderKeys {
  readonly #read: () => Promise<IssuerKeys>;
  readonly #clock: Clock;
  #kept: { issuer: string; find: JWTVerifyGetKey; at: number } | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(read: () => Promise<IssuerKeys>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  async #ask(): Promise<void> {
    const at = this.#clock.monotonic();
    this.#askedAt = at;
    const { createLocalJWKSet } = await import('jose');
    const { issuer, keys } = await this.#read();
    this.#kept = { issuer, find: createLocalJWKSet(keys), at };
  }

  get #mayAsk(): boolean {
    return this.#asking !== undefined || this.#clock.monotonic() - this.#askedAt >= COOLDOWN_MS;
  }

  async #renew(): Promise<void> {
    if (!this.#mayAsk) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking.catch((cause: unknown) => {
      throw new KeysAway('The keys cannot be read.', { cause });
    });
  }

  async #current(): Promise<{ issuer: string; find: JWTVerifyGetKey }> {
    const isFresh = () => this.#kept && this.#clock.monotonic() - this.#kept.at < KEPT_MS;
    if (!isFresh()) await this.#renew();
    if (!this.#kept || !isFresh()) throw new KeysAway('The keys could not be read a moment ago.');
    return this.#kept;
  }

  async issuer(): Promise<string> {
    return (await this.#current()).issuer;
  }

  /** Asks once more where the key is unknown: the provider may have a new one. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { errors } = await import('jose');
    try {
      return await (await this.#current()).find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.#mayAsk) throw error;
      await this.#renew();
      return (await this.#current()).find(header, token);
    }
  };
}
