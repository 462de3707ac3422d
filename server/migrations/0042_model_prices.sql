-- What calls of language models cost, in thousand-millionths of a US dollar: a price of a million tokens with three decimals is
-- then a whole number for each token. Null where no price of the model was set when it was called.
alter table matriarch.model_calls add column reserved_nanodollars bigint not null default 0;
alter table matriarch.model_calls add column cost_nanodollars bigint;

alter table matriarch.token_budgets add column used_nanodollars bigint not null default 0;
alter table matriarch.token_budgets add column reserved_nanodollars bigint not null default 0;

alter table matriarch.token_use add column cost_nanodollars bigint not null default 0;
-- Calls whose cost is in it.
alter table matriarch.token_use add column priced_calls bigint not null default 0;
