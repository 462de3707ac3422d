// The kept session of one connection. Guards: it counts for the server it leads to (see ServerSessions), whatever
// address led there; a connection beyond that server's share is a guest: it
// opens its session when it gets a permit, and closes it again.

import type { Permit } from './gates.ts';
import { maySayUncounted } from './own-statements.ts';
import { asTargetError } from './pipeline.ts';
import { ServerClock } from './server-clock.ts';
import { ServerSwitch } from './server-switch.ts';
import { type Identity, learn, openSession, type Session, type SessionWatch } from './session.ts';
import type { CollectorTarget, Shared } from './types.ts';

export interface Open {
  readonly session: Session;
  readonly identity: Identity;
  /** Monotonic. */
  readonly openedAt: number;
  /** False: to be closed at the end of the tick. */
  readonly kept: boolean;
  /** Another server answers at the address than before: everything is to be read anew. */
  readonly isSwitch: boolean;
}

export interface KeptSessionOptions {
  shared: Shared;
  connection_id: number;
  /** The server ended the session. */
  onLost(): void;
  watch?: SessionWatch;
}

export class KeptSession {
  readonly #options: KeptSessionOptions;
  #open: Open | undefined;
  #guestPermit: Permit | undefined;
  #identityKey: string | undefined;
  readonly clock = new ServerClock();
  readonly #switch = new ServerSwitch();
  /** The settings with which sessions may stay out of pg_stat_statements. */
  #uncounted: number | undefined;

  constructor(options: KeptSessionOptions) {
    this.#options = options;
  }

  get open(): Open | undefined {
    return this.#open;
  }

  /** When another server answered at the address for the first time, in milliseconds since the epoch. */
  get switchedAt(): number | undefined {
    return this.#switch.at;
  }

  /** The server has answered just now. */
  answered(): void {
    this.#switch.answered(this.#options.shared.clock.now());
  }

  /** Whether the server's share of kept sessions is used up by other connections; takes what became free. */
  get isGuest(): boolean {
    const { shared, connection_id } = this.#options;
    return this.#identityKey !== undefined && !shared.sessions.mayKeep(this.#identityKey, connection_id);
  }

  /** Whether sessions with these settings keep themselves out of pg_stat_statements. */
  isUncounted({ revision }: CollectorTarget): boolean {
    return this.#uncounted === revision;
  }

  /**
   * Opens the session; undefined when the signal aborted meanwhile, or when it turned out that a guest's permit is needed.
   * Rejects with a TargetError.
   */
  async connect(
    target: CollectorTarget,
    signal: AbortSignal,
    priority: 'first' | 'later',
  ): Promise<Open | undefined> {
    const { shared } = this.#options;
    if (this.isGuest && this.#identityKey !== undefined)
      this.#guestPermit = await shared.sessions.enterAsGuest(this.#identityKey);
    await shared.connects.enter(signal, priority);
    if (signal.aborted) {
      this.drop();
      return undefined;
    }
    try {
      this.#open = await this.#meet(target, signal);
      if (signal.aborted) this.drop();
      return this.#open;
    } catch (error) {
      // The right to say so may have been taken away.
      this.#uncounted = undefined;
      this.drop();
      throw asTargetError(error);
    }
  }

  async #meet(target: CollectorTarget, signal: AbortSignal): Promise<Open | undefined> {
    const { shared, connection_id, onLost, watch } = this.#options;
    const { connectTimeoutMs, probes, clock, sessions } = shared;
    const { database } = target.settings;
    const session = await openSession({
      target,
      database,
      connectTimeoutMs,
      signal,
      onLost,
      isUncounted: this.isUncounted(target),
      ...(watch && { watch }),
    });
    const destroy = () => session.client.destroy();
    signal.addEventListener('abort', destroy, { once: true });
    try {
      const attempted_at = clock.now();
      const identity = await learn(session, probes, clock.monotonic());
      if (this.#identityKey !== identity.key) this.leave();
      this.#identityKey = identity.key;
      const kept = sessions.mayKeep(identity.key, connection_id);
      // Only now is it known which server this is, and its share is used up: again, as a guest.
      if (!kept && !this.#guestPermit) {
        await session.client.close();
        return undefined;
      }
      if (this.#leavesFewerTraces(session, target)) {
        await session.client.close();
        return await this.#meet(target, signal);
      }
      session.isKept = kept;
      this.clock.heard(identity.clock, { attempted_at, took_ms: identity.took_ms });
      const sign = { ...identity.sign, ahead_ms: this.clock.aheadMs };
      const isSwitch = this.#switch.met(sign, clock.now());
      return { session, identity, openedAt: clock.monotonic(), kept, isSwitch };
    } catch (error) {
      destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', destroy);
    }
  }

  /** Whether another session would take fewer entries of pg_stat_statements; from now on ours do. */
  #leavesFewerTraces(session: Session, target: CollectorTarget): boolean {
    if (this.isUncounted(target) || !maySayUncounted(session)) return false;
    this.#uncounted = target.revision;
    return true;
  }

  /** Ends the session politely, if there is one. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.session.client.close();
    this.drop();
  }

  /** Ends the session at once, if there is one. */
  drop(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.session.client.destroy();
    this.#guestPermit?.leave();
    this.#guestPermit = undefined;
  }

  /** Gives up this connection's share of the server. */
  leave(): void {
    if (this.#identityKey !== undefined)
      this.#options.shared.sessions.leave(this.#identityKey, this.#options.connection_id);
    this.#identityKey = undefined;
  }
}
