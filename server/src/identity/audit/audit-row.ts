// One entry as a row of the audit log. Guards: texts that can be stored, and details of a few KiB at most.

import { cutText } from '../../kernel/inert-text.ts';
import type { NewAuditRow } from './audit.queries.ts';
import type { AuditCtx, AuditEntry } from './audit.service.ts';

const LONGEST_DETAILS = 8192;
const LONGEST_NAME = 255;

/** What cannot be stored: NUL, and halves of characters. Names come from people and servers. */
const storable = (text: string) => text.replaceAll('\0', ' ').toWellFormed();
const nameText = (text: string | undefined) =>
  text === undefined ? null : storable(cutText(text, LONGEST_NAME));

/** Too much detail is replaced as a whole: half a JSON would say something else. */
function detailsText(details: AuditEntry['details'] = {}): string {
  const text = JSON.stringify(details, (_name, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
  return text.length <= LONGEST_DETAILS ? text : JSON.stringify({ omitted_characters: text.length });
}

/** `at` in milliseconds since the epoch. */
export function auditRow(
  ctx: Omit<AuditCtx, 'db' | 'clock' | 'log'>,
  entry: AuditEntry,
  at: number,
): NewAuditRow {
  const { principal, origin } = ctx;
  const isSystem = principal?.via.kind === 'system';
  return {
    at: new Date(at).toISOString(),
    actor_id: isSystem ? null : (principal?.user_id ?? null),
    actor_name: nameText(principal?.username),
    via: principal?.via.kind ?? null,
    via_id: isSystem ? null : (principal?.via.id ?? null),
    address: origin?.address ?? null,
    request_id: origin?.request_id ?? null,
    action: entry.action,
    outcome: entry.outcome ?? 'ok',
    target_kind: entry.target?.kind ?? null,
    target_id: nameText(entry.target?.id?.toString()),
    target_name: nameText(entry.target?.name),
    details: detailsText(entry.details),
    occurrences: entry.occurrences ?? 1,
  };
}
