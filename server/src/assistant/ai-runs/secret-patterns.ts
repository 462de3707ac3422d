// What is a secret, an address of mail or of a client in any text. Pure. Each pattern begins at a mark of its own and takes what it
// reads, so that the time stays in line with the length.
import { isMade, isOrdinary, TOLD } from './prose-secrets.ts';

const NAME =
  '(?:passw|passphrase|passcode|pass(?![a-z])|pwd|secret|credential|token|api[_-]?key|access[_-]?key|private[_-]?key|conninfo|connection_?string|archive_command|archive_cleanup_command|restore_command|recovery_end_command|ssl_passphrase_command)\\w{0,40}';
const VALUE = `(?:\\\\?"(?:[^"\\\\]|\\\\.)*\\\\?(?:"|$)|'(?:[^'\\\\]|\\\\.|'')*(?:'|$)|(?!\\[secret )[^\\s,;&'"<>(){}\\[\\]](?:[^\\s,;&'"<>(){}\\[\\]]|[(){}\\]<>](?=\\w)|&(?!\\w{1,40}=))*)`;

/** The part that is kept, and the secret behind it. */
const ASSIGNED = new RegExp(
  `(${NAME}["'\\\\]{0,3}\\s{0,5}(?:=>|:=|[:=]|\\b(?:is|to)\\b)\\s{0,5}(?:e(?='))?)(${VALUE})`,
  'gi',
);
/** Ends where a secret in quotes begins. */
export const SECRET_BEFORE = new RegExp(
  `${NAME}\\s{0,5}(?:=>|:=|[:=])?\\s{0,5}(?:\\b(?:is|to)\\b\\s{0,5})?$`,
  'i',
);
/** `password 'x'`. */
const SPACED = new RegExp(`(${NAME}\\s{1,5}(?:e(?='))?)('(?:[^'\\\\]|\\\\.|'')*(?:'|$))`, 'gi');
/** Takes what it has read also where no @ follows, in which case it is none. */
const IN_URL = /(:\/\/[^\s:/@'"]{0,200}:)([^\s@'"]+(?:@(?=[^\s@'"/]*@)[^\s@'"/]*)*)(@?)/g;
/** A token before the @, without a name. */
const TOKEN_IN_URL = /(https?:\/\/)([^\s:/@'"]{8,200})(?=@)/gi;
/** Addresses that let whoever knows them write. */
const HOOK =
  /(https:\/\/(?:hooks\.slack\.com\/|discord(?:app)?\.com\/api\/webhooks\/|[\w.-]{1,100}\.webhook\.office\.com\/))([^\s'"<>]+)/gi;
const OPTION = /(--?(?:\w{1,20}-)?(?:password|passphrase|token|secret|api-key)\s{1,3})([^\s'"-]\S*)/gi;
const BEARER = /(\b(?:bearer|basic)\s{1,3})([A-Za-z0-9+/=._~-]{8,})/gi;

/** Secrets whatever stands before them. */
const PLAIN: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{1,40}-----[\s\S]*?(?:-----END [A-Z ]{1,40}-----|$)/g,
  /(?<![\w-])eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?/g,
  /(?<![A-Za-z0-9])(?:sk|pk|rk|mat|ghp|gho|ghs|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8,}/g,
  /AKIA[0-9A-Z]{12,}/g,
  /(?<![A-Za-z0-9])(?:npm|hf|ghu|ghr)_[A-Za-z0-9]{16,}/g,
  /SCRAM-SHA-256\$\d{1,9}:[A-Za-z0-9+/=]{1,200}\$[A-Za-z0-9+/=]{1,200}:[A-Za-z0-9+/=]{1,200}/g,
  /(?<![A-Za-z0-9])md5[0-9a-f]{32}(?![A-Za-z0-9])/g,
  /AIza[0-9A-Za-z_-]{20,}/g,
];

/** Takes what it has read also where no @ follows, in which case it is none. */
export const EMAIL = /[\p{L}\p{N}._%+-]{1,1000}(?:@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})?/gu;
export const ADDRESS =
  /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]\d)|(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}|::(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{2,4})(?![\w:])/gi;
/** Says nothing about anybody. */
export const NOBODYS = /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1|255\.255\.255\.255)$/;

/** What the server's log and its errors say of rows and parameters. */
export const IN_LOG: readonly RegExp[] = [
  /(\bKey \([^)\n]{0,500}\)=\()([^\n]*?)(?=\)(?:\s|$|\.))/g,
  /(\bFailing row contains \()([^\n]*?)(?=\)\.?(?:\n|$|"))/g,
  /((?:^|[\s,])\$\d+ = )('(?:[^']|'')*(?:'|$))/g,
  /((?:^|[\s,])\[\d{1,5}\] ?= ?)('(?:[^']|'')*(?:'|$))/g,
  /(\bCOPY [^,\n]{1,200}, line \d{1,20}(?:, column [^:\n]{1,128})?: \\?")([^"\n\\]*)/g,
  /(\bvalue \\?")([^"\n\\]*)(?=\\?" (?:is out of|is too|too long))/g,
  /(\binvalid input (?:syntax|value) for [^:\n]{1,100}: \\?")([^"\n\\]*)/g,
];

const SECRET_NAME =
  /(?:^|[._])(?:primary_conninfo|archive_command|archive_cleanup_command|restore_command|recovery_end_command|ssl_passphrase_command)$|passw|passphrase|passcode|secret|token|credential|conninfo|conn_str|connection_string|dsn|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|signing[_-]?key/i;
const SECRET_SETTING =
  /^(?:primary_conninfo|archive_command|archive_cleanup_command|restore_command|recovery_end_command|ssl_passphrase_command)$/i;
/** The name of a setting of PostgreSQL that may hold a secret, and of nothing else. */
export const isSecretSetting = (name: string) => SECRET_SETTING.test(name);

/** A name and a value beside each other in JSON that was cut. */
const PAIRED =
  /("(?:name|setting_name|parameter|key)"\s{0,5}:\s{0,5}"([^"\\]{1,256})"[^{}]{0,500}?"(?:setting|value|values|reset_val|boot_val|old_value|new_value|current|previous)"\s{0,5}:\s{0,5}")((?:[^"\\]|\\.)*)/g;

const IDLE = new Set([
  '',
  '(disabled)',
  '********',
  'true',
  '/bin/true',
  'on',
  'off',
  'yes',
  'no',
  'none',
  'null',
  'scram-sha-256',
  'md5',
  'argon2id',
  'bcrypt',
]);

/** Whether what is called so is a secret, whatever it says. */
export const isSecretName = (name: string) => name.length <= 256 && SECRET_NAME.test(name);
export const saysNothing = (value: string) =>
  IDLE.has(value) ||
  /^[.…*•]{1,32}$/.test(value) ||
  /^\[(?:secret|text|number|comment|value|email|address) \d+\](?:--|\/\*)?$/.test(value);
/** The column of `table.column`. A random password may hold the letters dsn by chance: there they must be a word. */
const REFERRED = /^[a-z_]\w{0,62}\.(?![a-z_\d]*(?:[a-z\d]dsn|dsn[a-z\d]))([a-z_]\w{0,62})$/i;
/** A parameter of a statement, or the column of the same name of another row. */
const isReference = (value: string) =>
  /^(?:\$\d{1,5}(?:::[\w.]{1,64})?|\?|case|default|any|current_\w{4,10})$/i.test(value) ||
  SECRET_NAME.test(REFERRED.exec(value)?.[1] ?? '');
const CALLS =
  /^(?:now|crypt|gen_salt|encode|decode|digest|hmac|md5|sha256|coalesce|nullif|greatest|least|lower|upper|left|right|length|count|max|min|array_agg|string_agg|current_setting|pgp_sym_encrypt|gen_random_uuid)$/i;
/** A function that a statement calls, by what stands behind its name. */
const isCall = (value: string, behind: string | undefined) =>
  (behind === '(' || value.includes('(')) && CALLS.test(value.replace(/\(.*$/s, ''));
/** How many tokens there are is no token. */
const isCount = (before: string, value: string) =>
  /tokens\w{0,20}["'\\]{0,3}\s{0,5}(?:[:=]|is|to)\s{0,5}$/i.test(before) &&
  /^\d[\d_.,]{0,20}[km]?$/i.test(value);
export const CLIENT_NAME = /^(?:client_addr|client_hostname|client_address|remote_addr|remote_host)$/i;

/** A secret behind a name, in whose place `hide` puts a word; the quotes around it stay. */
const behindName = (hide: (value: string) => string) => (_: string, before: string, value: string) => {
  const quoted = /^(\\?["'`])([\s\S]*?)(\\?["'`])?$/.exec(value);
  const [open, body, close] = quoted ? [quoted[1] ?? '', quoted[2] ?? '', quoted[3] ?? ''] : ['', value, ''];
  if (/^\[(?:secret|text|number|comment|value|email|address)$/.test(body)) return `${before}${value}`;
  // What is told in words may say how a password is.
  if (quoted === null && (isReference(body) || isCount(before, body))) return `${before}${value}`;
  if (quoted === null && /\b(?:is|to)\s*$/i.test(before) && isOrdinary(body)) return `${before}${value}`;
  if (saysNothing(body) || /^'?\[\w+ \d+\]'?$/.test(body)) return `${before}${value}`;
  // A comment that begins within it is one behind it.
  const comment = open === '' ? (/\/\*|--/.exec(body)?.[0] ?? '') : '';
  return `${before}${open}${hide(body)}${close}${comment}`;
};

/** A text in which `hide` puts a word in place of each secret, and which stays as it is otherwise. */
export function withoutSecrets(text: string, hide: (value: string) => string): string {
  const behind = behindName(hide);
  let kept = text;
  for (const pattern of PLAIN) kept = kept.replace(pattern, (found) => hide(found));
  kept = kept.replace(IN_URL, (found, before, value) =>
    found.endsWith('@') ? `${before}${hide(value)}@` : found,
  );
  for (const pattern of [TOKEN_IN_URL, HOOK, OPTION])
    kept = kept.replace(pattern, (found, before, value) =>
      value.startsWith('[secret') ? found : `${before}${hide(value)}`,
    );
  kept = kept.replace(PAIRED, (found, ...[before = '', name = '', value = '']: string[]) =>
    isSecretName(name) && !saysNothing(value) ? `${before}${hide(value)}` : found,
  );
  for (const { pattern, isSecret } of TOLD)
    kept = kept.replace(pattern, (found, before, value) =>
      isSecret(value) ? behind(found, before, value) : found,
    );
  kept = kept.replace(ASSIGNED, (found, ...[before, value, at, whole]: [string, string, number, string]) =>
    isCall(value, whole[at + found.length]) ? found : behind(found, before, value),
  );
  kept = kept.replace(SPACED, behind);
  return kept.replace(BEARER, (found, before, value) => (isMade(value) ? `${before}${hide(value)}` : found));
}
