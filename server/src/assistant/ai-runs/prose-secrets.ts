// Secrets as people tell them, in prose and in commands: a mark that something is one, and the word behind it. Pure. Guards: each
// pattern begins at a word of its own and reads a bounded piece behind it, so that the time stays in line with the length.
import { isMade, isOrdinary } from './ordinary-words.ts';

const PASSWORD =
  "(?:pass ?(?:word|phrase|code|wd|wort)s?|kennwort|pwd|mot de passe|contrase[nñ]a|senha|wachtwoord|lösenord|parola d[’']accesso)";
const OTHER = '(?:secret|token|credentials?|api[ _-]?key|access[ _-]?key)';
const VALUE = `("[^"\\n]{1,500}"|'[^'\\n]{1,500}'|\`[^\`\\n]{1,500}\`|(?!\\[\\w+ \\d+\\])[^\\s,;'"\`<>()](?:[^\\s,;'"\`<>()]|[()<>](?=\\w))*)`;
const IS = '(?:is|was|are|be|lautet|lautete|ist|war|est|était|es|era|é|to|auf|[:=→–—-])';
const STILL =
  '(?:(?:now|still|currently|again|just|simply|today|jetzt|maintenant|ahora):?\\s{1,3}){0,2}:?\\s{0,3}';

interface SecretPhrase {
  pattern: RegExp;
  /** Whether the word behind it is one. */
  isSecret: (value: string) => boolean;
}

const any = () => true;
const unusual = (value: string) => !isOrdinary(value);
const made = (value: string) => /^["'`]/.test(value) || isMade(value);
const told = (source: string, isSecret: SecretPhrase['isSecret'], flags = 'giu'): SecretPhrase => ({
  pattern: new RegExp(source, flags),
  isSecret,
});

export const TOLD: readonly SecretPhrase[] = [
  // "the password is now x", "password - x"
  told(`((?<![\\p{L}\\d_])(?:${PASSWORD})\\s{1,3}${IS}\\s{1,3}${STILL})${VALUE}`, unusual),
  // "the password of app on db1 is x"
  told(
    `((?<![\\p{L}\\d_])(?:${PASSWORD})\\s(?:of|for|on|von|für|de|du|para)(?:\\s[\\w.@"-]{1,64}){1,7}?\\s?${IS}\\s{1,3}${STILL})${VALUE}`,
    unusual,
  ),
  told(
    `((?<![\\p{L}\\d_])${PASSWORD}\\s(?:\\w{1,12}\\s){0,2}(?:set|changed|reset|rotated)\\sto\\s${STILL})${VALUE}`,
    unusual,
  ),
  // "password has been set to x", "the token that I use is x"
  told(
    `((?<![\\p{L}\\d_])(?:${PASSWORD}|${OTHER})(?:\\s[\\w.@"'-]{1,64}){0,7}?\\s?${IS}\\s{1,3}${STILL})${VALUE}`,
    made,
  ),
  // "with the password x", "login app password x"
  told(
    `((?<![\\p{L}\\d_])(?:with|using|use|login\\s\\S{1,64}|mit)\\s{1,3}(?:the\\s|a\\s|dem\\s)?${PASSWORD}:?\\s{1,3})${VALUE}`,
    unusual,
  ),
  told(
    `(\\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\\b[^\\n]{0,200}?\\s-p)([^\\s'"]+|'[^'\\n]*'|"[^"\\n]*")`,
    any,
    'gi',
  ),
  told(
    `(\\b(?:sshpass|redis-cli)\\b[^\\n]{0,200}?\\s-[pa]\\s{0,2})([^\\s'"]+|'[^'\\n]*'|"[^"\\n]*")`,
    any,
    'gi',
  ),
  told(`((?<=\\s)(?:-u|--user|--proxy-user)[ =]['"]?[^\\s:'"]{1,100}:)([^\\s'"]+)`, any, 'gi'),
  // Of a password file: host, port, database and user before it.
  told(
    `(^[>#\\s]{0,8}(?:[^\\s:\\\\]|\\\\.){1,255}:(?:\\*|\\d{4,5}):(?:[^:\\\\\\n]|\\\\.){1,64}:(?:[^:\\\\\\n]|\\\\.){1,64}:)([^\\s:][^\\n]*)`,
    any,
    'gim',
  ),
  told(
    `(\\bidentified\\s{1,5}(?:with\\s{1,5}\\S{1,64}\\s{1,5})?(?:by|as)\\s{1,5}(?:password\\s{1,5})?)("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\\s;'"[]+)`,
    unusual,
    'gi',
  ),
  told(`(\\bpassw\\w{0,40}\\s{0,3}\\(\\s{0,3})('[^']*(?:'|$)|"[^"]*(?:"|$))`, any, 'gi'),
  told(
    `(<[\\w:.-]{0,40}(?:passw|passphrase|pwd|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key)[^<>]{0,100}>)([^<]+)`,
    any,
    'gi',
  ),
  told(
    `(\\b(?:proxy-)?authorization["']?\\s{0,3}[:=]\\s{0,3}["']?(?:[\\w-]{1,20}\\s)?)([^\\s"',]{8,})`,
    unusual,
    'gi',
  ),
  told(`(\\b(?:set-)?cookie2?:\\s{0,3})([^\\n"']+)`, any, 'gi'),
  told(
    `([?&](?:sig|signature|x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|auth|code|key|access_token|sas)=)([^&\\s"'<>]+)`,
    any,
    'gi',
  ),
  told(
    `(\\b(?:account|shared|signing|encryption|master|service)[_-]?key["']?\\s{0,3}[:=]\\s{0,3}["']?)([^\\s"',;]{8,})`,
    any,
    'gi',
  ),
];
