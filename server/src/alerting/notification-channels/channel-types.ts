// The catalog of channels as the form reads it: what configures each, from the one declaration of every member. Pure.

import type { Output } from '../../kernel/contract.ts';
import { nodeOf, type SchemaNode } from '../../kernel/schema-node.ts';
import { channels } from '../channels/catalog.gen.ts';
import { DEFAULTS, type MemberName, PLAIN, SECRET } from '../channels/members.schemas.ts';
import { FIELDS } from '../channels/support/template.ts';
import type { Channel } from '../channels/types.ts';
import type { listChannelTypes as contract } from './notification-channels.contract.ts';

type TypeInfo = Output<typeof contract>[number];
type Member = TypeInfo['members'][number];

function kindOf({ type, enum: choices }: SchemaNode): Member['kind'] {
  if (choices !== undefined) return 'choice';
  return type === 'integer' || type === 'boolean' ? type : 'text';
}

const HEADERS: Member = {
  name: 'headers',
  kind: 'headers',
  required: false,
  is_secret: true,
  description: 'Headers to send; their values are write-only.',
};

function memberOf(channel: Channel, name: MemberName): Member {
  if (name === 'headers') return HEADERS;
  const schemas = { ...PLAIN, ...SECRET };
  const node = nodeOf(schemas[name]);
  const known: Readonly<Record<string, unknown>> = { ...DEFAULTS, endpoint_url: channel.default_url };
  const usual = known[name];
  return {
    name,
    kind: kindOf(node),
    required: channel.members[name] === 'required',
    is_secret: Object.hasOwn(SECRET, name),
    ...(node.description !== undefined && { description: node.description }),
    ...(node.enum !== undefined && { choices: node.enum.map(String) }),
    ...(usual !== undefined && { default: String(usual) }),
  };
}

const isMember = (name: string): name is MemberName =>
  name === 'headers' || Object.hasOwn(PLAIN, name) || Object.hasOwn(SECRET, name);

export function listChannelTypes(): TypeInfo[] {
  return channels.map((one) => {
    const channel: Channel<TypeInfo['channel_type']> = one;
    return {
      channel_type: channel.name,
      display_name: channel.display_name,
      description: channel.description,
      members: Object.keys(channel.members)
        .filter(isMember)
        .map((name) => memberOf(channel, name)),
      has_recipients: channel.name === 'email',
      ...(channel.template !== undefined && { template: channel.template }),
      template_fields: channel.template === undefined ? [] : [...FIELDS],
    };
  });
}
