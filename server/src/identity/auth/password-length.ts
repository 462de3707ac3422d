// How many characters a password has, for the rules of the server and the forms of the page. Pure.
export const PASSWORD_LENGTH = { least: 12, most: 128 };
