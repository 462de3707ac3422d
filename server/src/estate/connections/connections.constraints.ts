// Messages for violated constraints of the connections' table, by the name of the constraint.
import type { ConstraintFaults } from '../../kernel/errors.ts';

export const connectionConstraints: ConstraintFaults = {
  connections_owner_name_key: ['conflict', 'You already have a connection of that name.'],
  connections_owner_id_fkey: ['conflict', 'The user still owns connections.'],
  connections_port_range: ['bad_request', 'port must be an integer from 1 to 65535.'],
};
