// Channels: what may be stored and what a change means. Guards: secrets go in and never come out, a stored one stays with
// the address it was entered for, and saving contacts nobody. The caller's permission has been checked.

import {
  type AuditAction,
  type Ctx,
  hasPermission,
  inTransaction,
  recordAudit,
  type Vault,
} from '../../identity/identity.ts';
import type { Input } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import type { RateLimit } from '../../kernel/rate-limit.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Sender } from '../channels/sender.ts';
import type { Channel, ChannelConfig } from '../channels/types.ts';
import { channelNamed, destinationOf, mergedConfig, readConfig } from './channel-config.ts';
import {
  type AddressRules,
  checkAddresses,
  checkConfig,
  checkTemplate,
  TEMPLATE_NAMES,
  type TemplateName,
} from './channel-input.ts';
import {
  checkEntered,
  demandEntered,
  heldAfter,
  openSecret,
  type SecretChange,
  sealSecret,
  secretChange,
} from './channel-secrets.ts';
import { type ChannelView, viewOf } from './channel-view.ts';
import type {
  createNotificationChannel as create,
  updateNotificationChannel as update,
} from './notification-channels.contract.ts';
import * as queries from './notification-channels.queries.ts';

export interface ChannelsDeps extends AddressRules {
  vault: Vault;
  sender: Sender;
  /** Tests of one user. */
  tests: RateLimit;
  /** Wrong signatures of what one address sends us. */
  wrong_signatures: RateLimit;
  /** Where the web interface is, for links in messages; none without it. */
  base_url?: string | undefined;
}

type CreateInput = Input<typeof create>['body'];
type UpdateInput = Input<typeof update>['body'];

const GONE = 'There is no such channel.';
const MANAGE = 'manage_notification_channels';

export async function listNotificationChannels(ctx: Ctx): Promise<ChannelView[]> {
  const rows = await queries.listChannels(ctx.db);
  const mayManage = hasPermission(ctx.principal, MANAGE);
  const ids = rows.map(({ id }) => id);
  const recipients = mayManage ? await queries.listRecipients(ctx.db, ids) : [];
  return rows.map((row) => viewOf(row, recipients, mayManage));
}

/** 404 for one that is not there. */
export async function demandChannel(ctx: Ctx, id: number): Promise<queries.ListedChannel> {
  const row = await queries.findChannel(ctx.db, id);
  if (!row) throw new Fault('not_found', GONE);
  return row;
}

export async function getNotificationChannel(ctx: Ctx, id: number): Promise<ChannelView> {
  const row = await demandChannel(ctx, id);
  const mayManage = hasPermission(ctx.principal, MANAGE);
  return viewOf(row, mayManage ? await queries.listRecipients(ctx.db, [id]) : [], mayManage);
}

interface ChannelValues {
  channel: Channel;
  config: ChannelConfig;
  change: SecretChange;
  templates: Record<TemplateName, string | null>;
}

/** Everything that can be judged without DNS. */
function check({ channel, config, change, templates }: ChannelValues): void {
  checkConfig(channel, config, heldAfter(change));
  checkEntered(change, config);
  for (const name of TEMPLATE_NAMES) {
    const source = templates[name];
    if (source !== null) checkTemplate(channel, name, source);
  }
}

/** Absent keeps, empty clears; none where the type has none. */
function mergedTemplates(
  channel: Channel,
  input: Partial<Record<TemplateName, string>>,
  stored: Record<TemplateName, string | null>,
): Record<TemplateName, string | null> {
  const merged = (name: TemplateName) =>
    channel.template === undefined ? null : input[name] === undefined ? stored[name] : input[name] || null;
  return {
    template_alert_fire: merged('template_alert_fire'),
    template_alert_clear: merged('template_alert_clear'),
    template_reminder: merged('template_reminder'),
  };
}

const NO_TEMPLATES = { template_alert_fire: null, template_alert_clear: null, template_reminder: null };

interface Written {
  id: number;
  wanted: ChannelValues;
  /** As it was stored before; undefined for a new channel. */
  before?: ChannelConfig;
}

/** What is set is sealed for where the channel leads; what is kept moves along where that only got safer. */
async function writeSecrets(ctx: Ctx, vault: Vault, { id, wanted, before }: Written): Promise<void> {
  const { channel, config, change } = wanted;
  const destination = destinationOf(channel, config);
  await queries.dropSecrets(ctx.db, id, change.drop);
  for (const [name, value] of change.set) {
    const row = await sealSecret(vault, { id, name, value: new Secret(value), destination });
    await queries.putSecret(ctx.db, id, row);
  }
  if (before === undefined || destinationOf(channel, before) === destination) return;
  for (const row of await queries.listSecrets(ctx.db, id)) {
    if (row.destination === destination) continue;
    const value = await openSecret(vault, id, row);
    await queries.putSecret(ctx.db, id, await sealSecret(vault, { id, name: row.name, value, destination }));
  }
}

const EVENTS = {
  'channel.create': 'channels.created',
  'channel.change': 'channels.changed',
  'channel.delete': 'channels.deleted',
  'channel.test': 'channels.tested',
} as const satisfies Partial<Record<AuditAction, string>>;

export async function noteChannel(
  ctx: Ctx,
  { id, name }: Pick<queries.ChannelRow, 'id' | 'name'>,
  act: {
    action: keyof typeof EVENTS;
    outcome?: 'failed';
    details?: { [name: string]: string | boolean | string[] };
  },
): Promise<void> {
  await recordAudit(ctx, { ...act, target: { kind: 'channel', id, name } });
  ctx.log.info({ event: EVENTS[act.action], channel_id: id, user_id: ctx.principal.user_id });
}

export async function createNotificationChannel(
  ctx: Ctx,
  deps: ChannelsDeps,
  input: CreateInput,
): Promise<ChannelView> {
  const channel = channelNamed(input.channel_type);
  const config = mergedConfig(channel, {}, input);
  const change = secretChange(channel, input, []);
  const templates = mergedTemplates(channel, input, NO_TEMPLATES);
  const wanted = { channel, config, change, templates };
  check(wanted);
  await checkAddresses(config, change.set.get('webhook_url'), deps);
  const { via, user_id } = ctx.principal;
  return inTransaction(ctx, async (tx) => {
    const { id } = await queries.insertChannel(tx.db, {
      channel_type: input.channel_type,
      name: input.name,
      description: input.description ?? '',
      enabled: input.enabled ?? true,
      is_estate_default: input.is_estate_default ?? false,
      owner_user_id: user_id > 0 ? user_id : null,
      owner_token_id: via.kind === 'token' ? via.id : null,
      config,
      ...templates,
      reminder_enabled: input.reminder_enabled ?? false,
      reminder_interval_hours: input.reminder_interval_hours ?? 4,
    });
    await writeSecrets(tx, deps.vault, { id, wanted });
    await noteChannel(
      tx,
      { id, name: input.name },
      { action: 'channel.create', details: { type: channel.name } },
    );
    return getNotificationChannel(tx, id);
  });
}

interface Current {
  row: queries.ChannelRow;
  stored: readonly string[];
  input: UpdateInput;
}

/** What the channel would be, judged. */
function changed({ row, stored, input }: Current): ChannelValues & { before: ChannelConfig } {
  const channel = channelNamed(row.channel_type);
  const before = readConfig(Object(row.config));
  const config = mergedConfig(channel, before, input);
  const change = secretChange(channel, input, stored);
  const templates = mergedTemplates(channel, input, row);
  const wanted = { channel, config, change, templates };
  demandEntered(channel, { before, after: config }, change);
  check(wanted);
  return { ...wanted, before };
}

const touched = (input: UpdateInput): string[] =>
  Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);

/** DNS is asked before the transaction, so that no row stays locked meanwhile; the change is judged again inside. */
export async function updateNotificationChannel(
  ctx: Ctx,
  deps: ChannelsDeps,
  { id, input }: { id: number; input: UpdateInput },
): Promise<ChannelView> {
  const known = await demandChannel(ctx, id);
  const first = changed({ row: known, stored: known.secret_names, input });
  const isMoved = JSON.stringify(first.before) !== JSON.stringify(first.config);
  const webhookUrl = first.change.set.get('webhook_url');
  if (isMoved || webhookUrl !== undefined) await checkAddresses(first.config, webhookUrl, deps);
  return inTransaction(ctx, async (tx) => {
    const row = await queries.lockChannel(tx.db, id);
    if (!row) throw new Fault('not_found', GONE);
    const stored = (await queries.listSecrets(tx.db, id)).map(({ name }) => name);
    const wanted = changed({ row, stored, input });
    await queries.saveChannel(tx.db, {
      ...row,
      name: input.name ?? row.name,
      description: input.description ?? row.description,
      enabled: input.enabled ?? row.enabled,
      is_estate_default: input.is_estate_default ?? row.is_estate_default,
      config: wanted.config,
      ...wanted.templates,
      reminder_enabled: input.reminder_enabled ?? row.reminder_enabled,
      reminder_interval_hours: input.reminder_interval_hours ?? row.reminder_interval_hours,
    });
    await writeSecrets(tx, deps.vault, { id, wanted, before: wanted.before });
    await noteChannel(tx, row, { action: 'channel.change', details: { changed: touched(input) } });
    return getNotificationChannel(tx, id);
  });
}

export async function deleteNotificationChannel(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const row = await queries.lockChannel(tx.db, id);
    if (!row) throw new Fault('not_found', GONE);
    await queries.dropChannel(tx.db, id);
    await noteChannel(tx, row, { action: 'channel.delete' });
  });
}
