// Messages for violated constraints of the table of saved searches, by the name of the constraint.
import type { ConstraintFaults } from '../../kernel/errors.ts';

export const logSearchConstraints: ConstraintFaults = {
  log_searches_name_once: ['conflict', 'You already have a search of that name.'],
};
