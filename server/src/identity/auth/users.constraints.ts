// Messages for violated constraints of the users' table, by the name of the constraint.
import type { ConstraintFaults } from '../../kernel/errors.ts';

export const userConstraints: ConstraintFaults = {
  users_username_key: ['conflict', 'A user of that name exists already.'],
  users_username_form: [
    'bad_request',
    'username must be 1 to 128 letters, digits or _ . @ -, starting with a letter or digit.',
  ],
  users_service_account_has_no_password: ['bad_request', 'A service account cannot have a password.'],
};
