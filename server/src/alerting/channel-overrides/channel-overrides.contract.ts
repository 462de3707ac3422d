// Which channels are told of the alerts of a server, a cluster or a group instead of the estate's defaults.

import { ofOverride, ofScope } from '../../estate/scopes/scopes.schemas.ts';
import { ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { CHANNEL_TYPES, EXTRA_CHANNEL_TYPES } from '../channels/channel-names.schemas.ts';

const operation = operationsOf({ tag: 'channel-overrides' });
const scopeExample = { scope: 'server', scopeId: 1 };
const paramsExample = { ...scopeExample, channelId: 1 };
const access = { object: 'scope', permission: 'manage_notification_channels', whole: true } as const;

const ChannelOverride = s.component('ChannelOverride', {
  channel_id: s.longId(),
  channel_name: s.text(),
  channel_type: s.oneOf(CHANNEL_TYPES, { extra: EXTRA_CHANNEL_TYPES }),
  description: s.nullable(s.text()),
  is_estate_default: s.boolean(),
  has_override: s.boolean(),
  override_enabled: s.nullable(s.boolean()),
});
const ChannelOverrideUpdate = s.component('ChannelOverrideUpdate', { enabled: s.boolean() });

export const listChannelOverrides = operation({
  id: 'listChannelOverrides',
  route: 'GET /api/v1/channel-overrides/{scope}/{scopeId}',
  summary: 'List channel overrides for a scope',
  access: { object: 'scope' },
  params: ofScope,
  paramsExample: scopeExample,
  success: ok(s.list(ChannelOverride), [
    {
      channel_id: 1,
      channel_name: 'On call',
      channel_type: 'slack',
      description: null,
      is_estate_default: true,
      has_override: true,
      override_enabled: false,
    },
  ]),
  notes: ['One row for every enabled channel; override_enabled is null when unset.'],
});

export const setChannelOverride = operation({
  id: 'setChannelOverride',
  route: 'PUT /api/v1/channel-overrides/{scope}/{scopeId}/{channelId}',
  summary: 'Create or update an override',
  access,
  params: ofOverride({ channelId: s.id() }),
  paramsExample,
  body: ChannelOverrideUpdate,
  bodyExample: { enabled: true },
  success: ok(StatusResponse, { status: 'ok' }),
});

export const deleteChannelOverride = operation({
  id: 'deleteChannelOverride',
  route: 'DELETE /api/v1/channel-overrides/{scope}/{scopeId}/{channelId}',
  summary: 'Delete an override',
  access,
  params: ofOverride({ channelId: s.id() }),
  paramsExample,
  success: ok(StatusResponse, { status: 'ok' }),
  notes: ['Idempotent for a known scope and channel.'],
});
