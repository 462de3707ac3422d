// Acknowledgements that come back from PagerDuty. Guards: nothing is read that is not signed with the channel's secret; a
// channel that is not there answers like a wrong signature, after the same work; only alerts that this channel told of are
// touched, and the same event, or one that is older than what happened to the alert since, does nothing.
import { randomBytes } from 'node:crypto';
import { type Ctx, inTransaction, type PublicCtx, type Vault } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { addressKey, type RateLimit } from '../../kernel/rate-limit.ts';
import { Secret } from '../../kernel/secret.ts';
import { changeFromElsewhere } from '../alerts/elsewhere.service.ts';
import { type IncidentEvent, isSigned, readIncident } from '../channels/support/pagerduty-webhook.ts';
import { findAlertByKey, openSigningSecret } from '../notification-channels/signing.service.ts';
import { dropEvents, noteEvent } from './pagerduty.queries.ts';

export interface PagerDutyDeps {
  vault: Vault;
  /** Wrong signatures from one address. */
  wrong_signatures: RateLimit;
}

export interface Webhook {
  channel_id: number;
  body: Uint8Array;
  signature: string | undefined;
  address: string;
}

export interface Outcome {
  status: 'acknowledged' | 'active' | 'ignored';
}

const KEPT_DAYS = 90;
const IGNORED: Outcome = { status: 'ignored' };
/** Compared with where there is no secret, so that it takes as long. */
const NOBODY = new Secret(randomBytes(32).toString('hex'));

/** 401 for whatever is not right, and 429 where there is too much of that; who signs rightly is always heard. */
async function demandSigned(ctx: PublicCtx, deps: PagerDutyDeps, webhook: Webhook): Promise<void> {
  const secret = await openSigningSecret(ctx.db, deps.vault, webhook.channel_id);
  const fits = isSigned(webhook.body, webhook.signature, secret ?? NOBODY);
  if (fits && secret !== undefined) return;
  deps.wrong_signatures.enforce(addressKey(webhook.address));
  throw new Fault('unauthenticated', 'The signature is not valid.');
}

/** Nobody who is known here: it may do what is done in its name, and nothing else. */
const principalOf = ({ actor }: IncidentEvent): Ctx['principal'] => ({
  user_id: 0,
  username: actor,
  is_superuser: false,
  admin_permissions: [],
  via: { kind: 'system', id: 0 },
  scope: undefined,
});

function apply(ctx: Ctx, event: IncidentEvent, about: { channel_id: number; alert_id: number }) {
  return inTransaction(ctx, async (tx) => {
    const { channel_id, alert_id } = about;
    if (!(await noteEvent(tx.db, channel_id, event.id))) return undefined;
    await dropEvents(tx.db, KEPT_DAYS);
    const { action, actor, message } = event;
    const at = new Date(event.occurred_at).toISOString();
    const details = { channel_id, event_id: event.id };
    return changeFromElsewhere(tx, { alert_id, action, actor, message, at, channel_id, details });
  });
}

export async function receivePagerDutyWebhook(
  ctx: PublicCtx,
  deps: PagerDutyDeps,
  webhook: Webhook,
): Promise<Outcome> {
  await demandSigned(ctx, deps, webhook);
  const { channel_id } = webhook;
  const event = readIncident(webhook.body);
  const alert_id = event && (await findAlertByKey(ctx.db, channel_id, event.incident_key));
  if (!event || alert_id === undefined) return IGNORED;
  const status = await apply({ ...ctx, principal: principalOf(event) }, event, { channel_id, alert_id });
  ctx.log.info({
    event: 'pagerduty.received',
    channel_id,
    alert_id,
    action: event.action,
    status: status ?? 'ignored',
  });
  return status === undefined ? IGNORED : { status };
}
