// Which values of settings are secrets, as SQL, so that they are masked before they leave the monitored server.

/** Names whose values may hold secrets. */
const MASKED_NAME =
  '(^|[._])(primary_conninfo|archive_command|archive_cleanup_command|restore_command|recovery_end_command|ssl_passphrase_command)$' +
  '|passw|passphrase|secret|token|credential|conninfo|conn_str|connection_string|dsn|api_?key|access_?key|private_?key';
/** Values that hold them whatever the name. */
const MASKED_VALUE = '://[^/@[:space:]]*:[^/@[:space:]]*@|password[[:space:]]*=';
const MASK = '********';

/** A text constant in SQL. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Whether the value of a setting of that name is masked whatever it is. */
export const isSecretName = (name: string) => `${name} ~* ${literal(MASKED_NAME)}`;

/** The value, masked when `isSecret` holds or when it looks like one. */
export const maskedValue = (value: string, isSecret: string) => `case
    when ${value} not in ('', '(disabled)') and (${isSecret} or ${value} ~* ${literal(MASKED_VALUE)}) then ${literal(MASK)}
    else ${value}
  end`;
