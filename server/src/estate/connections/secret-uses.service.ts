// Which stored passwords a process has opened for connecting by itself, for the audit log: one row for each connection
// and revision in the life of the process, not one for each connect. Guards: no password is handed out unrecorded.
import { type AuditCtx, recordAudits, systemActor } from '../../identity/identity.ts';
import type { ServerSettings, Target } from './targets.service.ts';

/** What for, and from which source where it is not a stored one. */
export function secretUse(settings: ServerSettings | undefined, purpose: string) {
  const password_source = settings?.fetched_password?.source;
  return { purpose, ...(password_source !== undefined && { password_source }) };
}

export interface SecretUses {
  /** Records those that are new to this process, in one statement. */
  note(targets: readonly Target[]): Promise<void>;
}

export function secretUses(ctx: Pick<AuditCtx, 'db' | 'clock' | 'log'>, purpose: string): SecretUses {
  /** The revision that is recorded, by connection. */
  const recorded = new Map<number, number>();
  return {
    async note(targets) {
      const fresh = targets.filter(
        ({ connection_id, revision, settings }) =>
          (settings?.password ?? settings?.fetched_password) !== undefined &&
          recorded.get(connection_id) !== revision,
      );
      await recordAudits(
        { ...ctx, principal: systemActor('collector') },
        fresh.map(({ connection_id, name, revision, settings }) => ({
          action: 'secret.use',
          target: { kind: 'connection', id: connection_id, name },
          details: { ...secretUse(settings, purpose), revision },
        })),
      );
      for (const { connection_id, revision } of fresh) recorded.set(connection_id, revision);
    },
  };
}
