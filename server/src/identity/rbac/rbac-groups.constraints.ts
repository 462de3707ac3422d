// Messages for violated constraints of the groups' table, by the name of the constraint.
import type { ConstraintFaults } from '../../kernel/errors.ts';

export const groupConstraints: ConstraintFaults = {
  groups_name_key: ['conflict', 'A group of that name exists already.'],
};
