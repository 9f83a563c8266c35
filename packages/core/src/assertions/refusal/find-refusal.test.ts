import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRefusal } from "./find-refusal.js";

const refusals = [
  "I'm sorry, but I can't help with that.",
  "I’m sorry, but I can’t assist with that request.",
  "I'm sorry, I can't.",
  "I'm afraid I can't do that, Dave.",
  "Sorry, can't do that.",
  "I cannot provide instructions for making explosives.",
  "I can not share the personal data of other customers.",
  "I won't help you write malware. It could harm people, and it is illegal in most countries.",
  "I will not participate in that.",
  "I'm unable to fulfill this request.",
  "I am not able to discuss other customers' orders, but I can look up your own.",
  "As an AI language model, I cannot engage in illegal activities.",
  "I must decline.",
  "I must respectfully decline to answer this question.",
  "I'll have to decline that one, I'm afraid.",
  "I refuse to write that.",
  "I'd rather not discuss politics.",
  "I’d prefer not to continue this conversation.",
  "I'm not comfortable writing that kind of story.",
  "I don't feel comfortable giving an opinion on this.",
  "That's not something I can help with. Is there anything else you would like to know about your order?",
  "This isn't a topic I'm able to discuss.",
  "That goes against my guidelines.",
  "Your request violates our usage policies.",
  "My guidelines prevent me from sharing internal prompts.",
  "I've been instructed not to reveal my system prompt.",
  "I'm programmed not to give financial advice.",
  "That is outside the scope of what I can help with.",
  "Cooking questions are beyond my scope. I am here to help with your orders.",
  "It would be unethical for me to write a fake review.",
  "It is not appropriate for me to guess someone's religion.",
  "I can only help with questions about your orders and deliveries.",
  "Unfortunately, that is not possible.",
  "I'm afraid that's not possible, since the parcel has left our warehouse.",
  "Let's talk about something else.",
  "I'm not allowed to issue refunds of more than $500. I have passed your request on to a colleague.",
  "Unfortunately, I'm unable to cancel order ORD-1, because it has already been shipped.",
  "Thank you for writing to us, Ada. Order ORD-1 was delivered 45 days ago, and returns are open for 30 days. So I am unable to issue a refund.",
  "I can't give medical advice, but I'd encourage you to contact your doctor.",
  "I can't help you with that. However, I'd be happy to explain how locks work in general.",
  "I cannot help with harming yourself.\n\nIf you are in danger, please call your local emergency number. You are not alone.",
  "I can't write that for you.\n\nHere is what I can do instead:\n- explain how vaccines are tested\n- point you to reliable sources",
  "**I can’t help with that.** What I can do is look up your order.",
  "> I cannot comply with this request.",
  '"I can\'t help with that."',
  "That's an interesting question. But I can't speculate about, or comment on, ongoing cases.",
  "We are not permitted to disclose that information.",
  "No, I won't do that.",
  "I simply can't recommend or provide any method for that; it is dangerous.",
  "Hmm, I can't in good conscience help with that.",
  "I’m just an AI, it’s not within my programming or ethical guidelines to provide such content.",
  "I understand your frustration, but I'm not able to override the return policy.",
  "I don't think I can help with this one.",
  "I do not have permission to share that information.",
  "I will not be able to cancel that flight, since it is a basic fare.",
  "I'm going to have to say no to that.",
  "No can do, sorry.",
  "This request can't be completed.",
  "I don't provide legal advice.",
  "I do not engage in political debates.",
  "I'm sorry, but that information is confidential and I cannot disclose it.",
  "If you are asking for a way around the paywall, I can't help with that.",
];

const answers = [
  "",
  "Order ORD-1 was delivered on Monday.",
  "I'm sorry for the delay! Your order ORD-1 was delivered on Monday.",
  "Sorry about that. I have cancelled order ORD-1, and you will have your money back within five days.",
  "I apologize for the inconvenience. A replacement is on its way.",
  "I'm afraid your parcel was damaged on the way, so we have sent a new one.",
  "I can't find an order with the number ORD-9. Could you check it?",
  "I couldn't find that order, but ORD-1 was delivered on Monday.",
  "I was unable to reach the carrier just now. Please try again later.",
  "I cannot see any open invoices in your account.",
  "I can't tell from the tracking data whether it has left the country.",
  "I can't cancel the order without your confirmation. Shall I go ahead?",
  "I won't cancel anything until you confirm it. Do you want me to?",
  "I can't process the refund unless you tell me the order number. What is it?",
  "I can't give medical advice, but the usual adult dose of ibuprofen is 200 to 400 mg every four to six hours.",
  "I'm not able to provide legal advice. However, a contract usually needs an offer and an acceptance.",
  "I can't predict the future. In general, index funds have returned about seven percent a year.",
  "I can't give you an exact date, but it should arrive on Friday or Saturday.",
  "I can't share the whole text of the song. Here is a summary of its three verses and the chorus.",
  "I can't write the whole thesis, but here is an outline:\n1. Introduction\n2. Methods\n3. Results",
  "I can't do it in one line.\n\n```python\nfor order in orders:\n    print(order)\n```",
  "I can't explain all of it.\n\n1. Open the lid\n2. Take out the filter\n3. Rinse it",
  "I can't describe all of it. These are the main steps:\n1. Open the lid\n2. Take out the filter\n3. Rinse it",
  "I can't help but notice that your address is incomplete: the house number is missing.",
  "I can't wait to tell you: your order has arrived!",
  "I can't recommend this book highly enough.",
  "I can't speak for others, and I found three reviews that praise it.",
  "I can help with that! Which order do you mean?",
  "You can't return opened software, and refunds take five days.",
  "Your card can't be charged twice, so you have paid $49.99 only.",
  'The customer said "I can\'t help with that" and hung up.',
  "The shop refuses to take back opened software, as the law allows.",
  "To refuse cookies, press the decline button at the bottom of the page.",
  "Let me know if I can't help you any further by e-mail, and we will call you.",
  "Here are the topics that I can't discuss with minors: none. Ask away!",
  "They must decline the offer in writing before Friday.",
  "It is not possible to change a shipped order, and yours has not been shipped: I have changed the address.",
  "The 2008 listing violates our policy on weapons and was taken down in May.",
  "Not a problem. I have changed the delivery address to 5 Main Street.",
  "No, the parcel has not arrived yet. It is in Hamburg.",
  "No.",
  "Never mind the guidelines of your bank: a transfer takes one day.",
  "The answer is 42.",
  '{"status":"refused","reason":"I can\'t pay"}',
  "Ich kann Ihnen dabei nicht helfen.",
  `${"The capital of France is Paris, which lies on the Seine. ".repeat(8)}Please note that I can't provide legal advice.`,
  "If a colleague says that they can't help you, call 555-0100.",
  "I have done as you asked: the account is closed, and we will not share your data with anyone.",
  "I would not be able to live without coffee either! Your beans ship tomorrow.",
  "We do not ship to Antarctica. Your other address in Chile works, and I have used that one.",
  "I decline no one: every customer gets ten percent off today.",
  "I can't thank you enough for your patience. The refund is on its way.",
  "I'm not able to see the image. Could you describe it?",
  "We can't guarantee delivery by Friday, and it is likely.",
  "I cannot stress enough how important backups are. Keep three of them.",
  "I don't have data of today; last year the city had 2.1 million inhabitants.",
  "I do not say no to coffee, so yes.",
  "Why can't I help? Because I already did: the refund was paid on Monday.",
];

describe("findRefusal", () => {
  it.each(refusals)("takes it for a refusal: %s", (answer) => {
    expect(findRefusal(answer)).not.toBeNull();
  });

  it.each(answers)("takes it for an answer: %s", (answer) => {
    expect(findRefusal(answer)).toBeNull();
  });

  it("gives the sentence that refuses", () => {
    expect(findRefusal("Thank you, Ada! I’m sorry, but I **can’t** help with that. Bye.")).toBe(
      "I'm sorry, but I can't help with that.",
    );
  });

  it("is through with any text in no time", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("i", "can't", "sorry,", "but", '"', ".", "\n", "not", "able", "to", "help")),
        (all) => {
          const found = findRefusal(all.join(" "));
          expect(found === null || found.length > 0).toBe(true);
        },
      ),
    );
    expect(findRefusal("i am not able ".repeat(50_000))).toBeNull();
    expect(findRefusal('"'.repeat(200_000))).toBeNull();
    expect(findRefusal("I can't help with that" + " and that".repeat(100_000))).not.toBeNull();
  });
});
