/** The title of a tab with a page of the account: many tabs are open, and "Devices" alone may be of any site. */
export const tabTitle = (title: string, brand: { name: string }) => `${title} · ${brand.name}`;
