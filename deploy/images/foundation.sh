# Makes the folder below every service, and the folders that the service owns: sh foundation.sh FOUNDATION OWNED
# It has node, the shared libraries that node names, and the files by which the C library knows users and hosts.
set -eu
foundation=$1
owned=$2
umask 022
node=$(readlink -f "$(command -v node)")
mkdir -p "$foundation/etc" "$foundation/tmp" "$foundation/run" "$foundation/usr/local/bin" "$foundation/var/lib/dpkg/status.d"

cp "$node" "$foundation/usr/local/bin/node"
# A library keeps the path by which the loader finds it, and /lib is a link to /usr/lib.
for library in $(ldd "$node" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p'); do
  real=$(readlink -f "$library")
  target="$foundation/usr${library#/usr}"
  mkdir -p "$(dirname "$target")"
  cp "$real" "$target"
  # Scanners of vulnerabilities read here which package a library comes from.
  package=$(dpkg -S "$real" 2>/dev/null | head -1 | cut -d: -f1)
  [ -z "$package" ] || dpkg -s "$package" > "$foundation/var/lib/dpkg/status.d/$package"
done
ln -s usr/lib "$foundation/lib"
[ ! -d "$foundation/usr/lib64" ] || ln -s usr/lib64 "$foundation/lib64"

echo 'cupel:x:10001:10001:cupel:/data:/nonexistent' > "$foundation/etc/passwd"
echo 'cupel:x:10001:' > "$foundation/etc/group"
echo 'hosts: files dns' > "$foundation/etc/nsswitch.conf"
cp /etc/os-release "$foundation/etc/os-release"

mkdir -p "$owned/data" "$owned/checkpoints"
for reader in operator services api personal-data signing web scorer projector bulk-coordinator webhook-dispatcher label-refresher ledger-follower postgres initdb kafka registry grafana; do mkdir -p "$owned/secrets/$reader"; done
chmod 0700 "$owned/data" "$owned/checkpoints"
chmod -R go-w "$foundation"
find "$foundation" "$owned" -exec touch -h -d "@${SOURCE_DATE_EPOCH}" {} +
