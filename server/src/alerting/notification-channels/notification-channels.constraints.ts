// Messages for violated constraints of the channels' tables, by the name of the constraint.
import type { ConstraintFaults } from '../../kernel/errors.ts';

export const channelConstraints: ConstraintFaults = {
  email_recipients_address_key: ['conflict', 'The channel has a recipient of that address already.'],
  email_recipients_channel_id_fkey: ['not_found', 'There is no such channel.'],
  channel_overrides_channel_id_fkey: ['not_found', 'There is no such channel.'],
};
