// Secrets as people tell them, in prose and in commands: a mark that something is one, and the word behind it. Pure. Guards: each
// pattern begins at a word of its own and reads a bounded piece behind it, so that the time stays in line with the length.

/** Words that follow "the password is" and its like without being one. Nothing with a digit or a sign in it stands here. */
const WORDS = `
a an the this that these those it its your my our his her their what which who whom whose when where why how if then than as at by
for from in into of off on onto or and but nor not no yes to up out over under with without within about after before between during
until while because so be been being is was are were has have had do does did will would can could may might must shall should
required needed necessary expected missing empty blank wrong incorrect invalid valid correct unknown known set unset changed reset
rotated expired stored kept saved sent read written shown hidden visible masked encrypted hashed encoded plain plaintext used unused
given asked entered checked verified validated accepted rejected refused allowed forbidden denied revoked disabled enabled default
optional mandatory private public safe unsafe weak strong short long too very still never always also only just even ever already
again now currently automatically probably likely available unavailable right old new same other another any all each one none null
authentication auth authorization encryption hash hashes hashing file files policy policies prompt prompts protection change changes
resets rotation expiry expiration verification login logins manager managers field fields column columns connection connections
connect connecting access accessing user users role roles account accounts server servers database databases client clients provider
providers use log sign write reach call get see monitor avoid keep create make show send store have let allow open authenticate
value values text string number setting settings parameter parameters option options name names word words key keys attribute
scram md5 ldap peer ident trust radius pam gss cert kerberos oauth vault environment variable variables secret secrets password
passwords passphrase token tokens credential credentials per count counts counting usage limit limits budget budgets bucket
distinct unique bound made taken found lost gone good bad fine being said told mentioned described listed logged sealed wrapped signed shared reused
there here them they you we he she i me us through via using like unlike once twice longer shorter different equal part
`;

const ORDINARY = new Set(WORDS.split(/\s+/).filter((word) => word !== ''));

/** Whether a word of prose says of a secret how it is, and not what. */
export const isOrdinary = (word: string) => ORDINARY.has(word.replace(/[.!?:)\]]{1,3}$/, '').toLowerCase());

/** Whether it looks like no word of a sentence. */
export const isMade = (word: string) => {
  const bare = word.replace(/[.!?:)\]]{1,3}$/, '');
  return bare.length >= 4 && (/\d|[^\p{L}\p{M}'’.-]/u.test(bare) || /\p{Ll}\p{Lu}/u.test(bare));
};

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
