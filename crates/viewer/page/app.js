const fragment = new URLSearchParams(location.hash.slice(1));
const token = fragment.get('token') ?? sessionStorage.getItem('token') ?? '';
sessionStorage.setItem('token', token);
history.replaceState(null, '', location.pathname);
const answer = await fetch('api/session', { headers: { Authorization: `Bearer ${token}` } });
document.getElementById('app').textContent = JSON.stringify(await answer.json(), null, 2);
