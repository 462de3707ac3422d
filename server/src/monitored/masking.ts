// Which values of settings are secrets, as SQL, so that they are masked before they leave the monitored server.

/** Names whose values may hold secrets. */
const MASKED_NAME =
  '(^|[._])(primary_conninfo|archive_command|archive_cleanup_command|restore_command|recovery_end_command|ssl_passphrase_command)$' +
  '|passw|passphrase|passcode|secret|token|credential|conninfo|conn_str|connection_string|dsn|api_?key|access_?key|private_?key';
/** Names of custom parameters, which anybody invents, whose values may hold them. */
const MASKED_CUSTOM_NAME =
  '[.].*(pass($|[^a-z])|pwd|pw($|_)|cred|auth|key|jwt|bearer|cookie|salt|cert|signature|sas($|_)|otp|webhook|hmac|login)';
/** Values that hold them whatever the name. */
export const MASKED_VALUE =
  '://[^/@[:space:]]*:[^/@[:space:]]*@' +
  '|(pass|passw|passwd|password|passphrase|pwd|secret|token|credential|api_?key|access_?key|private_?key)["\']*[[:space:]]*[=:]' +
  '|bearer[[:space:]]+[^[:space:]]|basic[[:space:]]+[A-Za-z0-9+/=]{8}|-----BEGIN|eyJ[A-Za-z0-9_-]+[.]eyJ' +
  '|(^|[^A-Za-z0-9])(sk|pk|rk|mat|ghp|gho|ghs|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8}|AKIA[0-9A-Z]{12}|AIza[0-9A-Za-z_-]{20}';
/** A long word of letters and digits that nobody reads, as keys are; looked for in custom parameters alone. */
const RANDOM_VALUE = '^(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/_=-]{20,}$';
const MASK = '********';
/** Commands that succeed without doing anything: whoever archives by one has to be told. */
export const IDLE_COMMANDS = ['true', '/bin/true', '/usr/bin/true', ':', 'exit 0', 'cd .', 'rem'];

/** A text constant in SQL. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Whether the value of a setting of that name is masked whatever it is. */
export const isSecretName = (name: string) =>
  `(${name} ~* ${literal(MASKED_NAME)} or ${name} ~* ${literal(MASKED_CUSTOM_NAME)})`;

/** Whether it is a parameter that an extension or somebody's own code has invented. */
const isCustom = (name: string) => `pg_catalog.strpos(${name}, '.') > 0`;

/** Whether a value says nothing, whatever the setting is called. */
const isHarmless = (value: string, name: string) =>
  `(${value} in ('', '(disabled)')
      or ${name} = 'archive_command' and ${value} in (${IDLE_COMMANDS.map(literal).join(', ')}))`;

/** The value of a setting, masked when `isSecret` holds or when it looks like a secret. */
export const maskedValue = (value: string, { name, isSecret }: { name: string; isSecret: string }) => `case
    when not ${isHarmless(value, name)}
      and (
        ${isSecret}
        or ${value} ~* ${literal(MASKED_VALUE)}
        or ${isCustom(name)} and ${value} ~ ${literal(RANDOM_VALUE)}
      )
    then ${literal(MASK)}
    else ${value}
  end`;
