// Words that follow "the password is" and its like without being one. Pure. Guards: nothing with a digit or a sign in it stands here.

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

/** Whether a word looks like something that nobody writes as a word. */
export const isMade = (word: string) => {
  const bare = word.replace(/[.!?:)\]]{1,3}$/, '');
  return bare.length >= 4 && (/\d|[^\p{L}\p{M}'’.-]/u.test(bare) || /\p{Ll}\p{Lu}/u.test(bare));
};
